// What becomes of requests whose code loops, gets stuck, bursts or dies, and of those beside them.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { createModuleVersion, invocationRequest, openSandbox } from '../helpers/sandbox/sandbox.ts';

/** Busy in one call of C++ that no engine limit interrupts. */
const STUCK = 'Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)';

const codeOf = (outcome: InvocationResult) => (outcome.kind === 'failure' ? outcome.code : outcome.kind);

/** Every process below this one. */
function descendants(): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // Gone meanwhile.
    }
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === process.pid || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

function killHosts() {
  for (const pid of descendants()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It went with its parent.
    }
  }
}

describe('an invocation that breaks a limit', () => {
  it('ends at its CPU limit when it loops, and the next one runs', async () => {
    const { sandbox, incidents } = openSandbox();
    const unit = createModuleVersion(
      'module.exports.get = (req, res) => { while (req.query.loop); res.end("x") }',
      {
        limits: { cpuMs: 500 },
      },
    );
    expect(codeOf(await sandbox.invoke(invocationRequest(unit, { query: { loop: '1' } })))).toBe(
      'ENDPOINT_TIMEOUT',
    );
    expect(codeOf(await sandbox.invoke(invocationRequest(unit)))).toBe('response');
    expect(incidents.map(({ kind, limit }) => [kind, limit])).toEqual([['violation', 'cpuMs']]);
  });

  it('is killed soon after its CPU limit when it is stuck where nothing interrupts it', async () => {
    const { sandbox, incidents } = openSandbox();
    const limits = { cpuMs: 100, wallMs: 60_000 };
    const unit = createModuleVersion(`module.exports.get = (req, res) => { ${STUCK} }`, { limits });
    expect(codeOf(await sandbox.invoke(invocationRequest(unit)))).toBe('ENDPOINT_TIMEOUT');
    // Its wall time would outlive this test.
    expect(incidents.map(({ kind, limit }) => [kind, limit])).toEqual([['kill', 'cpuMs']]);
  });

  it('ends at its wall limit when it waits for ever, and so do its guest calls', async () => {
    const { sandbox, incidents } = openSandbox();
    const unit = createModuleVersion(
      'module.exports.get = async (req, res) => { await Model("books").find({}) }',
      {
        limits: { wallMs: 200 },
      },
    );
    let signal: AbortSignal | undefined;
    const serve = (_: unknown, given: AbortSignal) => {
      signal = given;
      return new Promise<never>(() => undefined);
    };
    expect(codeOf(await sandbox.invoke(invocationRequest(unit, { performGuestCall: serve })))).toBe(
      'ENDPOINT_TIMEOUT',
    );
    expect(signal?.aborted).toBe(true);
    expect(incidents.map(({ kind, limit }) => [kind, limit])).toEqual([['violation', 'wallMs']]);
  });

  it('ends with a memory error when it fills the heap, and the next one runs', async () => {
    const { sandbox } = openSandbox();
    const unit = createModuleVersion(
      'module.exports.get = (req, res) => { const kept = []; while (req.query.fill) kept.push({ a: [kept.length] }); res.end("x") }',
      { limits: { heapMb: 16 } },
    );
    expect(codeOf(await sandbox.invoke(invocationRequest(unit, { query: { fill: '1' } })))).toBe(
      'ENDPOINT_MEMORY',
    );
    expect(codeOf(await sandbox.invoke(invocationRequest(unit)))).toBe('response');
  });

  it('is the culprit when it crashes its process', async () => {
    const { sandbox, incidents } = openSandbox();
    const unit = createModuleVersion('module.exports.get = () => "x".repeat(2e8).split("")');
    expect(codeOf(await sandbox.invoke(invocationRequest(unit)))).toBe('ENDPOINT_MEMORY');
    expect(incidents).toHaveLength(1);
  });
});

describe('an invocation that exhausts the heap of its module', () => {
  it('ends its host, which counts towards suspension', async () => {
    const { sandbox, incidents } = openSandbox();
    const unit = createModuleVersion(
      'module.exports.get = () => { const a = []; for (;;) a.push(new Array(1000).fill(a)) }',
      {
        limits: { heapMb: 16 },
      },
    );
    expect(codeOf(await sandbox.invoke(invocationRequest(unit)))).toBe('ENDPOINT_MEMORY');
    expect(incidents).toEqual([
      expect.objectContaining({ moduleId: unit.id, kind: 'violation', limit: 'heapMb' }),
      expect.objectContaining({
        moduleId: unit.id,
        version: unit.version,
        sha256: unit.sha256,
        kind: 'crash',
        limit: 'heapMb',
        counts: true,
      }),
    ]);
  });
});

describe('invocations beside one that breaks a limit', () => {
  it('of the same endpoint get responses, and one that is to blame counts once', async () => {
    const { sandbox, incidents } = openSandbox();
    const unit = createModuleVersion(
      `module.exports.get = (req, res) => { if (req.query.bad) ${STUCK}; res.end("x") }`,
      {
        limits: { cpuMs: 300 },
      },
    );
    await sandbox.invoke(invocationRequest(unit));
    const jobs = Array.from({ length: 12 }, (_, n) =>
      invocationRequest(unit, { query: n === 5 ? { bad: '1' } : {} }),
    );
    const codes = (await Promise.all(jobs.map((job) => sandbox.invoke(job)))).map(codeOf);
    expect(codes.filter((code) => code !== 'response')).toEqual(['ENDPOINT_TIMEOUT']);
    expect(codes[5]).toBe('ENDPOINT_TIMEOUT');
    // Where several had not begun, each runs again alone, and the one to blame ends another process.
    const kills = incidents.filter(({ kind }) => kind === 'kill');
    expect(kills.map(({ moduleId }) => moduleId)).toEqual(kills.map(() => unit.id));
    expect(kills.filter(({ counts }) => counts === true)).toHaveLength(1);
  });

  it('that wait in the same host run again if they only read, and fail if they wrote', async () => {
    const { sandbox, incidents } = openSandbox();
    const unit = createModuleVersion(
      `module.exports.get = async (req, res) => {
        if (req.query.bad) ${STUCK};
        if (req.query.write) await Model('books').create({});
        await Model('books').find({});
        res.end('x');
      }`,
      { limits: { cpuMs: 300 } },
    );
    let finds = 0;
    let release: ((value: unknown) => void) | undefined;
    const released = new Promise((resolve) => {
      release = resolve;
    });
    let begun: ((value: unknown) => void) | undefined;
    const bothWait = new Promise((resolve) => {
      begun = resolve;
    });
    const serve = async ({ name }: { name: string }) => {
      if (name !== 'model.find') return { ok: true, text: '{}' };
      finds += 1;
      if (finds === 2) begun?.(undefined);
      if (finds <= 2) await released;
      return { ok: true, text: '{}' };
    };
    const reader = sandbox.invoke(invocationRequest(unit, { performGuestCall: serve }));
    const writer = sandbox.invoke(
      invocationRequest(unit, { performGuestCall: serve, query: { write: '1' } }),
    );
    await bothWait;
    const bad = sandbox.invoke(invocationRequest(unit, { query: { bad: '1' } }));
    expect(codeOf(await bad)).toBe('ENDPOINT_TIMEOUT');
    expect(codeOf(await writer)).toBe('ENDPOINT_CRASHED');
    release?.(undefined);
    expect(codeOf(await reader)).toBe('response');
    expect(finds).toBe(3);
    expect(incidents.filter(({ kind }) => kind !== 'violation')).toHaveLength(1);
  });

  it('of another endpoint get responses meanwhile', async () => {
    const { sandbox } = openSandbox();
    const good = createModuleVersion('module.exports.get = (req, res) => res.end("x")', {
      id: 'endpoint:1.0/good',
    });
    // Longer than this test may take.
    const limits = { cpuMs: 60_000, wallMs: 60_000 };
    const bad = createModuleVersion('module.exports.get = () => { for (;;); }', {
      id: 'endpoint:1.0/bad',
      limits,
    });
    await sandbox.invoke(invocationRequest(good));
    const loops = Array.from({ length: 4 }, () => sandbox.invoke(invocationRequest(bad)));
    let isOver = false;
    void Promise.all(loops).then(() => {
      isOver = true;
    });
    for (let answered = 0; answered < 200; answered += 1) {
      expect(codeOf(await sandbox.invoke(invocationRequest(good)))).toBe('response');
    }
    expect(isOver).toBe(false);
  });
});

describe('hosts that are killed from outside', () => {
  it('leave no invocation without a result, and the next ones run', async () => {
    const { sandbox } = openSandbox();
    const unit = createModuleVersion(
      'module.exports.get = async (req, res) => { if (req.query.wait) await new Promise((go) => setTimeout(go, 200)); res.end("x") }',
    );
    await sandbox.invoke(invocationRequest(unit));
    const jobs = Array.from({ length: 30 }, (_, n) =>
      invocationRequest(unit, { query: n % 2 === 0 ? { wait: '1' } : {} }),
    );
    const running = jobs.map((job) => sandbox.invoke(job));
    await running[1];
    killHosts();
    const codes = (await Promise.all(running)).map(codeOf);
    expect(codes.every((code) => ['response', 'ENDPOINT_CRASHED', 'ENDPOINT_BUSY'].includes(code))).toBe(
      true,
    );
    expect(codeOf(await sandbox.invoke(invocationRequest(unit)))).toBe('response');
  });

  it('leave no process behind when the sandbox closes', async () => {
    const { sandbox } = openSandbox();
    const unit = createModuleVersion(`module.exports.get = () => { ${STUCK} }`);
    const running = [
      sandbox.invoke(invocationRequest(unit)),
      sandbox.inspect('for(;;);', 'endpoint').catch(() => undefined),
    ];
    await sandbox.invoke(
      invocationRequest(
        createModuleVersion('module.exports.get = (q, s) => s.end("x")', { id: 'endpoint:1.0/b' }),
      ),
    );
    await sandbox.close();
    await Promise.all(running);
    expect(codeOf((await running[0]) as InvocationResult)).toBe('ENDPOINT_CRASHED');
    await expect.poll(() => descendants().filter((pid) => isNode(pid))).toEqual([]);
    expect(await sandbox.invoke(invocationRequest(unit))).toMatchObject({ code: 'ENDPOINT_CRASHED' });
  });
});

function isNode(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('host.js');
  } catch {
    return false;
  }
}
