// What a suspension does to requests, queues and guest calls.
import { describe, expect, it } from 'vitest';
import type { InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { createModuleVersion, invocationRequest, openSandbox } from '../helpers/sandbox/sandbox.ts';

const codeOf = (outcome: InvocationResult) => (outcome.kind === 'failure' ? outcome.code : outcome.kind);
/** A busy machine starts processes slowly. */
const SOON = { timeout: 15_000 };
const FAST = 'module.exports.get = (req, res) => res.json({ a: 1 })';
const ASKS = 'module.exports.get = async (req, res) => { await Model("books").find({}); res.end("x") }';

describe('stopping a module', () => {
  it('ends at once what waits, what runs, and the pending guest calls', async () => {
    const { sandbox, incidents } = openSandbox();
    const signals: AbortSignal[] = [];
    const held = Promise.withResolvers<{ ok: boolean; text: string }>();
    const serve = (_: unknown, signal: AbortSignal) => {
      signals.push(signal);
      return held.promise;
    };
    const unit = createModuleVersion(ASKS, { limits: { concurrency: 2 } });
    const running = Array.from({ length: 6 }, () =>
      sandbox.invoke(invocationRequest(unit, { performGuestCall: serve })),
    );
    await expect.poll(() => signals.length, SOON).toBe(2);
    let isStopped = false;
    const stopped = sandbox.stop(unit.id).then(() => {
      isStopped = true;
    });
    expect((await Promise.all(running)).map(codeOf)).toEqual(running.map(() => 'ENDPOINT_SUSPENDED'));
    expect([signals.map(({ aborted }) => aborted), isStopped]).toEqual([[true, true], false]);
    held.resolve({ ok: true, text: '{}' });
    await stopped;
    expect(incidents).toEqual([
      expect.objectContaining({ moduleId: unit.id, kind: 'kill', limit: 'suspended', counts: false }),
    ]);
    expect(codeOf(await sandbox.invoke(invocationRequest(createModuleVersion(FAST))))).toBe('response');
  });

  it('ends what it started before it responded', async () => {
    const { sandbox } = openSandbox();
    const signals: AbortSignal[] = [];
    const serve = (_: unknown, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>((_resolve, reject) => signal.addEventListener('abort', reject));
    };
    const unit = createModuleVersion(
      'module.exports.get = (req, res) => { Model("books").find({}); res.end("x") }',
    );
    expect(codeOf(await sandbox.invoke(invocationRequest(unit, { performGuestCall: serve })))).toBe(
      'response',
    );
    expect(signals[0]?.aborted).toBe(false);
    await sandbox.stop(unit.id);
    expect(signals[0]?.aborted).toBe(true);
  });

  it('rejects callers that looked it up before', async () => {
    const suspended = new Set<string>();
    const { sandbox } = openSandbox({ isSuspended: (id) => suspended.has(id) });
    const unit = createModuleVersion(FAST);
    suspended.add(unit.id);
    expect(codeOf(await sandbox.invoke(invocationRequest(unit)))).toBe('ENDPOINT_SUSPENDED');
    suspended.clear();
    expect(codeOf(await sandbox.invoke(invocationRequest(unit)))).toBe('response');
  });
});
