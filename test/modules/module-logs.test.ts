import { describe, expect, it } from 'vitest';
import { createModuleLogs } from '../../src/modules/module-logs.ts';
import type { ModuleVersion } from '../../src/sandbox-supervisor/model/module-version.ts';

const START = 1_700_000_000_000;
const unit = (name = 'a', version = 3) => ({ id: `endpoint:1.0/${name}`, version }) as ModuleVersion;
const all = { limit: 10_000, after: 0 };

function opened() {
  const logs = createModuleLogs(() => START);
  const add = (message: string, name = 'a') => logs.add(unit(name), 'r1', { level: 'info', message });
  const messages = (options = all, name = 'a') =>
    logs.read(unit(name).id, options).map(({ message }) => message);
  return { logs, add, messages };
}

describe('the log of a module', () => {
  it('keeps records with version, request, time and number', () => {
    const { logs } = opened();
    logs.add(unit(), 'r1', { level: 'error', message: 'failed', stack: 'at line 3' });
    expect(logs.read(unit().id, all)).toEqual([
      {
        seq: START,
        at: START,
        level: 'error',
        message: 'failed',
        stack: 'at line 3',
        version: 3,
        requestId: 'r1',
      },
    ]);
    expect(logs.read('endpoint:1.0/other', all)).toEqual([]);
  });

  it('returns the newest records, or those after a number, oldest first', () => {
    const { add, messages } = opened();
    for (const message of ['1', '2', '3', '4']) add(message);
    expect(messages({ limit: 2, after: 0 })).toEqual(['3', '4']);
    expect(messages({ limit: 2, after: START })).toEqual(['2', '3']);
    expect(messages({ limit: 2, after: START + 3 })).toEqual([]);
  });

  it('keeps a thousand records, numbered without gaps', () => {
    const { logs, add } = opened();
    for (let count = 0; count < 2500; count += 1) add(`${count}`);
    const kept = logs.read(unit().id, all);
    expect(kept.map(({ message }) => message)).toEqual(
      Array.from({ length: 1000 }, (_, index) => `${index + 1500}`),
    );
    expect(kept.at(-1)?.seq).toBe(START + 2499);
  });

  it('keeps about a megabyte and any single record', () => {
    const { add, messages } = opened();
    for (let count = 0; count < 200; count += 1) add('x'.repeat(20_000));
    const kept = messages().reduce((sum, message) => sum + message.length, 0);
    expect(kept).toBeGreaterThan(900_000);
    expect(kept).toBeLessThan(1_200_000);
  });

  it('limits all modules together and keeps small logs whole', () => {
    const { add, messages } = opened();
    for (let count = 0; count < 100; count += 1) {
      add('small', `small${count}`);
      for (let part = 0; part < 50; part += 1) add('x'.repeat(20_000), `large${count}`);
    }
    let total = 0;
    for (let count = 0; count < 100; count += 1) {
      expect(messages(all, `small${count}`)).toEqual(['small']);
      total += messages(all, `large${count}`).reduce((sum, message) => sum + message.length, 0);
    }
    expect(total).toBeGreaterThan(10_000_000);
    expect(total).toBeLessThan(34_000_000);
  });

  it('frees the memory of a removed module', () => {
    const { logs, add, messages } = opened();
    add('one');
    logs.drop(unit().id);
    logs.drop(unit().id);
    expect(messages()).toEqual([]);
    add('two');
    expect(messages()).toEqual(['two']);
  });

  it('escapes unprintable characters', () => {
    const { logs, messages } = opened();
    logs.add(unit(), 'r1', { level: 'info', message: '\x1b[2J a\u202eb\r\n c', stack: '\0' });
    expect(messages()).toEqual(['\\u{1b}[2J a\\u{202e}b\\u{d}\n c']);
    expect(logs.read(unit().id, all)[0]?.stack).toBe('\\u{0}');
  });
});
