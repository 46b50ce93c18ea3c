// The turns of a guest, with an engine that does what a test says in place of an isolate.
import { describe, expect, it } from 'vitest';
import { createGuestWith } from '../../sandbox/guest.js';
import { DEFAULTS } from './lab/lab.ts';

type Bridge = (number: number, kind: string, head: string, body: string) => unknown;
type Enter = (bridge: Bridge, args: readonly unknown[], ms: number) => unknown;

function open(enter: Enter, isolation: 'realm' | 'context' | 'isolate' = 'realm') {
  const events: unknown[][] = [];
  const engines: { disposed: boolean; rooms: number; released: number }[] = [];
  const guest = createGuestWith(
    (_options, bridge: Bridge) => {
      const engine = { disposed: false, rooms: 0, released: 0 };
      engines.push(engine);
      return {
        open() {
          engine.rooms += 1;
          return {
            enter: (ms: number, args: readonly unknown[]) => enter(bridge, args, ms),
            release: () => {
              engine.released += 1;
            },
          };
        },
        memory: () => ({ used: 1_000, held: 2_000 }),
        isDisposed: () => engine.disposed,
        dispose: () => {
          engine.disposed = true;
        },
      };
    },
    { ...DEFAULTS, isolation, source: '' },
    (...event) => events.push(event),
  );
  return { guest, events, engines };
}

/** The number of the request that is started; of several, that of the first. */
const numberOf = (list: unknown) => Number(JSON.parse(String(list))[0][0]);
const ends: Enter = (bridge, [what, list]) =>
  what === 'start' ? bridge(numberOf(list), 'end', '[]', '') : 0;
const timeOut = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
  throw new Error('Script execution timed out.');
};

describe('a turn', () => {
  it('passes on what the request sends', () => {
    const { guest, events } = open(ends);
    expect(guest.start(7, 'head', 'body', 10)).toEqual({ error: null });
    expect(events).toEqual([[7, 'end', '[]', '']]);
  });

  it('lets no other request speak, and none after its end but to the log', () => {
    const { guest, events } = open((bridge, [what, list]) => {
      if (what !== 'start') return 0;
      const number = numberOf(list);
      bridge(99, 'end', 'forged', '');
      bridge(Number(number), 'end', 'own', '');
      bridge(Number(number), 'end', 'again', '');
      bridge(Number(number), 'call', 'late', '');
      bridge(Number(number), 'log', 'fine', '');
      return bridge(Number(number), 'bytes', '', 'ü');
    });
    guest.start(1, '', '', 10);
    expect(events).toEqual([
      [1, 'end', 'own', ''],
      [1, 'log', 'fine', ''],
    ]);
  });

  it('without an answer and without a call is silent', () => {
    const { guest, events } = open(() => 0);
    guest.start(1, '', '', 10);
    expect(events).toEqual([[1, 'silent', '', '']]);
  });

  it('that waits goes on when it is delivered to, and not after that', () => {
    const { guest, events } = open((bridge, [what, number]) => {
      if (what === 'pending') return 1;
      return what === 'deliver' ? bridge(Number(number), 'end', '', '') : 0;
    });
    const call = { call: 1, ok: true, text: 'null' };
    guest.start(1, '', '', 10);
    expect(events).toEqual([]);
    guest.deliver(2, call, 10);
    guest.deliver(1, call, 10);
    guest.deliver(1, call, 10);
    expect(events).toEqual([[1, 'end', '', '']]);
  });
});

describe('a turn that is stopped', () => {
  const loops: Enter = (_door, [what], ms) => (what === 'start' ? timeOut(ms) : 0);

  it('is a timeout, cleaned up after', () => {
    const entered: unknown[] = [];
    const { guest, engines } = open((bridge, args, ms) => {
      entered.push([args[0], ms]);
      return loops(bridge, args, ms);
    });
    expect(guest.start(1, '', '', 4.2)).toEqual({
      error: 'timeout',
      message: 'The time slice took more than 5 ms',
    });
    expect(entered).toEqual([
      ['start', 5],
      ['stop', 50],
    ]);
    expect([guest.disposed, engines[0]?.disposed]).toEqual([false, false]);
  });

  it('costs the isolate where it cannot be cleaned up', () => {
    const { guest, engines } = open((_door, _args, ms) => timeOut(ms));
    expect(guest.start(1, '', '', 5)).toMatchObject({ error: 'timeout' });
    expect([guest.disposed, engines[0]?.disposed]).toEqual([true, true]);
  });
});

describe('a call that throws', () => {
  it('our own rejection has returned', () => {
    const { guest, events } = open((bridge, [what, list]) => {
      if (what !== 'start') return 0;
      bridge(numberOf(list), 'end', '', '');
      throw 7;
    });
    expect(guest.start(1, '', '', 10)).toEqual({ error: null });
    expect([events, guest.disposed]).toEqual([[[1, 'end', '', '']], false]);
  });

  it.each([8, undefined, 'Script execution timed out.', new Error('text of a guest')])(
    '%s costs the isolate',
    (thrown) => {
      const { guest, engines } = open((_bridge, [what]) => {
        if (what === 'start') throw thrown;
        return 0;
      });
      expect(guest.start(1, '', '', 10)).toEqual({ error: 'load', message: 'The isolate failed' });
      expect([guest.disposed, engines[0]?.disposed]).toEqual([true, true]);
    },
  );
});

describe('memory', () => {
  it('lost by the shared isolate ends the guest', () => {
    const { guest, engines } = open(() => {
      engines[0]!.disposed = true;
      throw new Error('Isolate was disposed during execution due to memory limit');
    });
    expect(guest.start(1, '', '', 10)).toEqual({
      error: 'memory',
      message: 'The module needed more than 64 MB of memory',
    });
    expect(guest.disposed).toBe(true);
  });

  it('lost by the shared isolate while another request waits in it is nobody’s error', () => {
    const { guest, engines } = open((_bridge, [what, list]) => {
      if (what === 'pending') return 1;
      if (numberOf(list) === 1) return 0;
      engines[0]!.disposed = true;
      throw new Error('Isolate was disposed during execution due to memory limit');
    });
    guest.start(1, '', '', 10);
    expect(guest.start(2, '', '', 10)).toEqual({ error: null });
    expect(guest.disposed).toBe(true);
  });

  it('lost by an isolate of one request ends only that', () => {
    let dies = true;
    const { guest, engines } = open((bridge, args, ms) => {
      if (!dies) return ends(bridge, args, ms);
      engines.at(-1)!.disposed = true;
      throw new Error('Isolate was disposed');
    }, 'isolate');
    expect(guest.start(1, '', '', 10)).toMatchObject({ error: 'memory' });
    dies = false;
    expect([guest.disposed, guest.start(2, '', '', 10).error]).toEqual([false, null]);
  });
});

describe('what requests share', () => {
  it.each([
    ['realm', 1, 1, 0],
    ['context', 1, 3, 3],
    ['isolate', 3, 1, 0],
  ] as const)('%s', (isolation, isolates, rooms, released) => {
    const { guest, engines } = open(ends, isolation);
    for (let number = 1; number <= 3; number += 1) guest.start(number, '', '', 10);
    expect([engines.length, engines[0]?.rooms, engines[0]?.released]).toEqual([isolates, rooms, released]);
    guest.dispose();
    expect([guest.disposed, engines.every(({ disposed }) => disposed)]).toEqual([true, true]);
  });

  it('is released when a waiting request is forgotten', () => {
    const { guest, engines } = open((_door, [what]) => (what === 'pending' ? 1 : 0), 'isolate');
    guest.start(1, '', '', 10);
    guest.start(2, '', '', 10);
    expect(guest.memory()).toEqual({ used: 2_000, held: 4_000 });
    guest.forget(1);
    guest.forget(9);
    expect(engines.map(({ disposed }) => disposed)).toEqual([true, false]);
  });
});
