// Who waits, for how long, and beside whom.
import { describe, expect, it } from 'vitest';
import { createDividedCalls } from '../../src/deployment/limits/shared-calls.ts';
import type { InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { createModuleVersion, invocationRequest, openSandbox } from '../helpers/sandbox/sandbox.ts';

const codeOf = (outcome: InvocationResult) => (outcome.kind === 'failure' ? outcome.code : outcome.kind);
/** A busy machine starts processes slowly. */
const SOON = { timeout: 15_000 };
const FAST = 'module.exports.get = (req, res) => res.json({ a: 1 })';
const ASKS = 'module.exports.get = async (req, res) => { await Model("books").find({}); res.end("x") }';

/** Serves a call only when told, and counts those that are open. */
function gate() {
  const open: (() => void)[] = [];
  let most = 0;
  let calls = 0;
  return {
    most: () => most,
    calls: () => calls,
    release: () => {
      for (const go of open.splice(0)) go();
    },
    serve: () =>
      new Promise<{ ok: boolean; text: string }>((resolve) => {
        calls += 1;
        open.push(() => resolve({ ok: true, text: '{}' }));
        most = Math.max(most, open.length);
      }),
  };
}

/** A clock that stands still unless told. */
function handClock() {
  let time = 0;
  let asked = 0;
  return {
    now: () => {
      asked += 1;
      return time;
    },
    forward: (ms: number) => {
      time += ms;
    },
    /** Whoever looks at the clock now and then has done so, also where it leaves out a look after a leap. */
    seen: () => {
      const before = asked;
      return expect.poll(() => asked - before, { ...SOON, interval: 10 }).toBeGreaterThan(20);
    },
  };
}

describe('the concurrency of a module', () => {
  it('rejects none of fifty callers of a fast endpoint', async () => {
    const { sandbox } = openSandbox();
    const unit = createModuleVersion(FAST);
    await sandbox.invoke(invocationRequest(unit));
    const codes = new Set<string>();
    const callers = Array.from({ length: 50 }, async () => {
      for (let n = 0; n < 40; n += 1) codes.add(codeOf(await sandbox.invoke(invocationRequest(unit))));
    });
    await Promise.all(callers);
    expect([...codes]).toEqual(['response']);
  });

  it('keeps to the policy, also before anything is known of the endpoint', async () => {
    const { sandbox } = openSandbox();
    const { serve, most, release } = gate();
    const unit = createModuleVersion(ASKS, { limits: { concurrency: 3 } });
    const running = Array.from({ length: 20 }, () =>
      sandbox.invoke(invocationRequest(unit, { performGuestCall: serve })),
    );
    await expect.poll(most, SOON).toBe(3);
    let left = running.length;
    for (const run of running) {
      void run.then(() => {
        left -= 1;
      });
    }
    while (left > 0) {
      release();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await Promise.all(running)).map(codeOf)).toEqual(running.map(() => 'response'));
    expect(most()).toBe(3);
  });

  it('runs one invocation after the other if it is 1', async () => {
    const { sandbox } = openSandbox();
    const { serve, most, release } = gate();
    const unit = createModuleVersion(ASKS, { limits: { concurrency: 1 } });
    const running = Array.from({ length: 5 }, () =>
      sandbox.invoke(invocationRequest(unit, { performGuestCall: serve })),
    );
    const pump = setInterval(release, 1);
    expect((await Promise.all(running)).every(({ kind }) => kind === 'response')).toBe(true);
    clearInterval(pump);
    expect(most()).toBe(1);
  });
});

describe('the queue', () => {
  it('takes 32 invocations beyond the concurrency, for a second', async () => {
    const { now, forward, seen } = handClock();
    const { sandbox } = openSandbox({ now });
    const { serve, most, release } = gate();
    // The host ends a request by a clock of its own, which a busy machine does not stop.
    const unit = createModuleVersion(ASKS, { limits: { wallMs: 60_000, concurrency: 2 } });
    const first = [1, 2].map(() => sandbox.invoke(invocationRequest(unit, { performGuestCall: serve })));
    await expect.poll(most, SOON).toBe(2);
    // Whoever waits for a host that starts waits from when it is up, the spare one too: by this clock for ever.
    const states = () => sandbox.status().processes.map(({ state }) => state);
    await expect.poll(() => states().includes('spare') && !states().includes('starting'), SOON).toBe(true);
    const refused: string[] = [];
    const later = Array.from({ length: 40 }, async () => {
      refused.push(codeOf(await sandbox.invoke(invocationRequest(unit, { performGuestCall: serve }))));
    });
    await expect.poll(() => refused.length, SOON).toBe(8);
    forward(1000);
    await seen();
    expect(refused).toHaveLength(8);
    forward(1);
    await Promise.all(later);
    release();
    expect((await Promise.all(first)).map(codeOf)).toEqual(['response', 'response']);
    expect(new Set(refused)).toEqual(new Set(['ENDPOINT_BUSY']));
  });

  it('does not count waiting towards the wall time', async () => {
    const { now, forward, seen } = handClock();
    const { sandbox } = openSandbox({ now, maxHosts: 2, busyHosts: 1 });
    const { serve, calls, release } = gate();
    const unit = createModuleVersion(ASKS, { limits: { wallMs: 20_000, concurrency: 1 } });
    const [first, second] = [1, 2].map(() =>
      sandbox.invoke(invocationRequest(unit, { performGuestCall: serve })),
    );
    await expect.poll(calls, SOON).toBe(1);
    forward(900);
    await seen();
    release();
    expect(codeOf((await first) as InvocationResult)).toBe('response');
    await expect.poll(calls, SOON).toBe(2);
    // Longer than its wall time since it came, not since it began.
    forward(19_500);
    await seen();
    release();
    expect(codeOf((await second) as InvocationResult)).toBe('response');
  });

  it('limits the calls of a minute', async () => {
    let clock = 0;
    const countCall = createDividedCalls({ shareOf: (limit) => limit, clock: () => clock });
    const { sandbox } = openSandbox({ countCall });
    const unit = createModuleVersion(FAST, { limits: { perMinute: 3 } });
    const run = async () => codeOf(await sandbox.invoke(invocationRequest(unit)));
    expect([await run(), await run(), await run(), await run()]).toEqual([
      ...['response', 'response', 'response'],
      'ENDPOINT_RATE_LIMITED',
    ]);
    clock = 60_000;
    expect(await run()).toBe('response');
  });

  it('serves each endpoint while others flood', async () => {
    const { sandbox } = openSandbox({ maxHosts: 3, busyHosts: 1 });
    const flood = createModuleVersion(FAST, { id: 'endpoint:1.0/flood' });
    const quiet = createModuleVersion(FAST, { id: 'endpoint:1.0/quiet' });
    await sandbox.invoke(invocationRequest(flood));
    let isOver = false;
    const flooders = Array.from({ length: 60 }, async () => {
      while (!isOver) await sandbox.invoke(invocationRequest(flood));
    });
    const codes: string[] = [];
    for (let n = 0; n < 30; n += 1) codes.push(codeOf(await sandbox.invoke(invocationRequest(quiet))));
    isOver = true;
    await Promise.all(flooders);
    expect(codes).toEqual(codes.map(() => 'response'));
  });
});

describe('the hosts of a sandbox', () => {
  it('are started for other modules while some only wait', async () => {
    const { sandbox } = openSandbox({ busyHosts: 1 });
    const gates = [1, 2, 3].map(gate);
    const running = gates.map(({ serve }, n) =>
      sandbox.invoke(
        invocationRequest(createModuleVersion(ASKS, { id: `endpoint:1.0/e${n}` }), {
          performGuestCall: serve,
        }),
      ),
    );
    await expect.poll(() => gates.map(({ most }) => most()), SOON).toEqual([1, 1, 1]);
    expect(sandbox.status().hosts).toMatchObject({ running: 4, busy: 0, spare: 1 });
    for (const { release } of gates) release();
    expect((await Promise.all(running)).map(codeOf)).toEqual(['response', 'response', 'response']);
    await expect.poll(() => sandbox.status().hosts.running, SOON).toBe(2);
  });

  it('serve one trust domain each', async () => {
    const { sandbox } = openSandbox({ busyHosts: 1 });
    const run = (trustDomain: string) =>
      sandbox.invoke(
        invocationRequest(createModuleVersion(FAST, { id: `endpoint:1.0/${trustDomain}`, trustDomain })),
      );
    await run('one');
    expect(sandbox.status().hosts.running).toBe(2);
    await run('two');
    expect(sandbox.status().hosts.running).toBe(3);
  });

  it('serve more endpoints than they keep isolates, and drop the oldest', async () => {
    const { sandbox } = openSandbox({ busyHosts: 1 });
    const units = Array.from({ length: 30 }, (_, n) =>
      createModuleVersion(`module.exports.get = (q, s) => s.end("${n}")`, { id: `endpoint:1.0/e${n}` }),
    );
    for (const round of [1, 2]) {
      for (const [n, unit] of units.entries()) {
        expect(await sandbox.invoke(invocationRequest(unit)), `round ${round}`).toMatchObject({
          body: String(n),
        });
      }
    }
  });

  it('drop evicted versions, and finish what runs of them', async () => {
    const { sandbox } = openSandbox();
    const { serve, most, release } = gate();
    const old = createModuleVersion(ASKS);
    const running = sandbox.invoke(invocationRequest(old, { performGuestCall: serve }));
    await expect.poll(most, SOON).toBe(1);
    const next = createModuleVersion(FAST);
    sandbox.evict(next.id);
    expect(codeOf(await sandbox.invoke(invocationRequest(next)))).toBe('response');
    release();
    expect(codeOf(await running)).toBe('response');
  });
});

describe('the inspections of a sandbox', () => {
  it('find what a module has, and what is wrong with it', async () => {
    const { sandbox } = openSandbox();
    expect(await sandbox.inspect('module.exports.get = () => 1', 'endpoint')).toMatchObject({
      ok: true,
      methods: ['GET'],
    });
    expect(await sandbox.inspect('let a = ;', 'endpoint')).toMatchObject({
      code: 'ENDPOINT_SYNTAX',
      line: 1,
    });
    expect(await sandbox.inspect('for (;;);', 'endpoint')).toMatchObject({ code: 'ENDPOINT_LOAD' });
  });

  it('survive code that gets stuck or crashes its process', async () => {
    const { sandbox } = openSandbox();
    const results = await Promise.all([
      sandbox.inspect('Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)', 'endpoint'),
      sandbox.inspect('"x".repeat(2e8).split("")', 'endpoint'),
      sandbox.inspect('module.exports.get = () => 1', 'endpoint'),
    ]);
    expect(results.map((result) => (result.ok ? 'ok' : result.code))).toEqual([
      'ENDPOINT_LOAD',
      'ENDPOINT_LOAD',
      'ok',
    ]);
  });

  it('are rejected once the sandbox is closed', async () => {
    const { sandbox } = openSandbox();
    await sandbox.close();
    await expect(sandbox.inspect('1', 'endpoint')).rejects.toMatchObject({ code: 'SANDBOX_DISABLED' });
  });
});

describe('a machine that cannot start hosts', () => {
  it('rejects invocations instead of letting them wait', async () => {
    const { sandbox } = openSandbox({ launcher: { launch: async () => Promise.reject(new Error('no')) } });
    const unit = createModuleVersion(FAST);
    expect(codeOf(await sandbox.invoke(invocationRequest(unit)))).toBe('SANDBOX_DISABLED');
    await expect(sandbox.inspect('1', 'endpoint')).rejects.toMatchObject({ code: 'SANDBOX_DISABLED' });
  });
});
