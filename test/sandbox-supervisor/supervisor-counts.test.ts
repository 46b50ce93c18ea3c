// Calls that are counted before they are accepted: at once, or by several processes together.
import { describe, expect, it } from 'vitest';
import type { CountCall } from '../../src/deployment/coordination.ts';
import type { ModuleVersion } from '../../src/sandbox-supervisor/model/module-version.ts';
import type { InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { createModuleVersion, invocationRequest, openSandbox } from '../helpers/sandbox/sandbox.ts';

const FAST = 'module.exports.get = (req, res) => res.json({ a: 1 })';
const LIMITED = { limits: { perMinute: 3 } };

const codeOf = (outcome: InvocationResult) => (outcome.kind === 'failure' ? outcome.code : outcome.kind);

/** Answers as many calls as the test says, once it says so. */
function createCounter() {
  const counted: (readonly [string, number, (isWithin: boolean) => void])[] = [];
  const countCall: CountCall = (moduleId, perMinute) =>
    new Promise((resolve) => void counted.push([moduleId, perMinute, resolve]));
  const answer = (at: number, isWithin: boolean) => counted[at]?.[2](isWithin);
  return { counted, countCall, answer };
}

describe('a call that is counted', () => {
  it('runs or is refused as the count says at once', async () => {
    const { sandbox } = openSandbox({ countCall: (_id, perMinute) => perMinute === 3 });
    const [within, beyond] = [3, 4].map((perMinute) => createModuleVersion(FAST, { limits: { perMinute } }));
    const runs = [within, beyond].map((unit) => sandbox.invoke(invocationRequest(unit as ModuleVersion)));
    expect((await Promise.all(runs)).map(codeOf)).toEqual(['response', 'ENDPOINT_RATE_LIMITED']);
  });

  it('runs or is refused as the count says later', async () => {
    const counter = createCounter();
    const { sandbox } = openSandbox({ countCall: counter.countCall });
    const unit = createModuleVersion(FAST, LIMITED);
    const runs = Array.from({ length: 3 }, () => sandbox.invoke(invocationRequest(unit)));
    expect(counter.counted.map(([id, limit]) => [id, limit])).toEqual(Array(3).fill([unit.id, 3]));
    for (const [at, isWithin] of [true, false, true].entries()) counter.answer(at, isWithin);
    const codes = (await Promise.all(runs)).map(codeOf);
    expect(codes).toEqual(['response', 'ENDPOINT_RATE_LIMITED', 'response']);
  });

  it('is not counted without a limit, nor of a module that is suspended', async () => {
    const counter = createCounter();
    const isSuspended = (id: string) => id === 'endpoint:1.0/suspended';
    const { sandbox } = openSandbox({ countCall: counter.countCall, isSuspended });
    const suspended = createModuleVersion(FAST, { ...LIMITED, id: 'endpoint:1.0/suspended' });
    expect(codeOf(await sandbox.invoke(invocationRequest(suspended)))).toBe('ENDPOINT_SUSPENDED');
    expect(codeOf(await sandbox.invoke(invocationRequest(createModuleVersion(FAST))))).toBe('response');
    expect(counter.counted).toEqual([]);
  });

  it('does not run where the module was suspended, or the server closed, while it was counted', async () => {
    const counter = createCounter();
    const suspended = new Set<string>();
    const { sandbox } = openSandbox({
      countCall: counter.countCall,
      isSuspended: (id) => suspended.has(id),
    });
    const unit = createModuleVersion(FAST, { ...LIMITED, id: 'endpoint:1.0/one' });
    const another = createModuleVersion(FAST, { ...LIMITED, id: 'endpoint:1.0/another' });
    const runs = [unit, another].map((version) => sandbox.invoke(invocationRequest(version)));
    suspended.add(unit.id);
    counter.answer(0, true);
    expect(codeOf((await runs[0]) as InvocationResult)).toBe('ENDPOINT_SUSPENDED');
    await sandbox.close();
    counter.answer(1, true);
    expect(codeOf((await runs[1]) as InvocationResult)).toBe('ENDPOINT_CRASHED');
  });
});
