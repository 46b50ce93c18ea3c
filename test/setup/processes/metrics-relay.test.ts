import { describe, expect, it, vi } from 'vitest';
import { MetricsRelay } from '../../../src/setup/processes/metrics-relay.ts';
import type { MessageToWorker } from '../../../src/setup/processes/worker-messages.ts';

function workersOf(count: number) {
  const sent: [number, MessageToWorker][] = [];
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  const workers = new Map(
    numbers.map((number) => [
      number,
      { send: (message: MessageToWorker) => void sent.push([number, message]) },
    ]),
  );
  const asker = (number: number) => {
    const worker = workers.get(number);
    if (worker === undefined) throw new Error(`there is no worker ${number}`);
    return [number, worker] as const;
  };
  return { sent, workers, asker };
}

describe('the relay of metrics', () => {
  it('sends the answers of all other workers to the one that asked, under the number of its question', () => {
    const { sent, workers, asker } = workersOf(3);
    const relay = new MetricsRelay();
    relay.ask(asker(2), { id: 7, accept: 'text/plain' }, workers);
    expect(sent).toEqual([
      [1, { kind: 'tell', id: 1, accept: 'text/plain' }],
      [3, { kind: 'tell', id: 1, accept: 'text/plain' }],
    ]);
    relay.take(3, { id: 1, text: 'three' });
    relay.take(3, { id: 1, text: 'twice' });
    relay.take(1, { id: 9, text: 'to nobody' });
    expect(sent).toHaveLength(2);
    relay.take(1, { id: 1, text: 'one' });
    expect(sent.at(-1)).toEqual([2, { kind: 'gathered', id: 7, texts: ['three', 'one'] }]);
  });

  it('answers at once where there is no other worker, and leaves out one that ends', () => {
    const { sent, workers, asker } = workersOf(2);
    const relay = new MetricsRelay();
    relay.ask(asker(1), { id: 1, accept: '' }, new Map([...workers].slice(0, 1)));
    expect(sent).toEqual([[1, { kind: 'gathered', id: 1, texts: [] }]]);
    relay.ask(asker(1), { id: 2, accept: '' }, workers);
    relay.forget(2);
    expect(sent.at(-1)).toEqual([1, { kind: 'gathered', id: 2, texts: [] }]);
  });

  it('waits for the others when one of several ends', () => {
    const { sent, workers, asker } = workersOf(3);
    const relay = new MetricsRelay();
    relay.ask(asker(1), { id: 1, accept: '' }, workers);
    relay.forget(2);
    expect(sent).toHaveLength(2);
    relay.take(3, { id: 1, text: 'three' });
    expect(sent.at(-1)).toEqual([1, { kind: 'gathered', id: 1, texts: ['three'] }]);
  });

  it('does not answer the worker that replaces the one that asked', () => {
    const { sent, workers, asker } = workersOf(3);
    const relay = new MetricsRelay();
    relay.ask(asker(1), { id: 1, accept: '' }, workers);
    relay.forget(1);
    // Its first question too.
    relay.ask(asker(1), { id: 1, accept: '' }, workers);
    for (const number of [2, 3]) relay.take(number, { id: 1, text: `${number} for the one that has ended` });
    for (const number of [2, 3]) relay.take(number, { id: 2, text: `${number}` });
    expect(sent.filter(([number]) => number === 1)).toEqual([
      [1, { kind: 'gathered', id: 1, texts: ['2', '3'] }],
    ]);
  });

  it('leaves out a worker that does not answer', () => {
    vi.useFakeTimers();
    try {
      const { sent, workers, asker } = workersOf(3);
      const relay = new MetricsRelay();
      relay.ask(asker(1), { id: 1, accept: '' }, workers);
      relay.take(2, { id: 1, text: 'two' });
      vi.advanceTimersByTime(1000);
      expect(sent.at(-1)).toEqual([1, { kind: 'gathered', id: 1, texts: ['two'] }]);
      relay.take(3, { id: 1, text: 'late' });
      expect(sent).toHaveLength(3);
    } finally {
      vi.useRealTimers();
    }
  });
});
