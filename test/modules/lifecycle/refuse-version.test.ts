import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { ALICE, BOB, CAROL } from '../../helpers/fixtures/actors.ts';
import { code, endpoint, loadedModules, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';
const grants = { collections: [{ name: '1.0/library/books', actions: ['find'] }] };
const refusal = { actor: BOB, reason: 'It sends everything' };
/** A time that no deadline of the store has passed. */
const AT = 4_000_000_000_000;

/** Version 1 is in force, version 2 waits. */
async function withWaiting() {
  const opened = await loadedModules({ review: 'all', now: () => AT });
  await opened.modules.postCode(REPORT, code({}, 'one'), ALICE);
  await opened.modules.approve(REPORT, 1, CAROL);
  await opened.modules.postCode(REPORT, code({}, 'two'), ALICE);
  return opened;
}

describe('a refused version', () => {
  it('waits no more, has its reason in the list of versions, and what is in force stays', async () => {
    const { modules, read } = await withWaiting();
    await modules.reject(REPORT, 2, refusal);
    expect(modules.policy(REPORT)).not.toHaveProperty('code.pending');
    expect(await modules.versions(REPORT)).toMatchObject([
      { version: 1, active: true },
      { version: 2, active: false, refused: { by: 'bob', at: AT, reason: 'It sends everything' } },
    ]);
    expect((await modules.versions(REPORT))[0]).not.toHaveProperty('refused');
    expect(modules.source(REPORT)).toBe(code({}, 'one'));
    expect(await read(FILE)).toBe(code({}, 'one'));
    expect(await modules.versionSource(REPORT, 2)).toBe(code({}, 'two'));
  });

  it('is neither approved nor refused again, and no rollback leads to it, also after a restart', async () => {
    const first = await withWaiting();
    await first.modules.reject(REPORT, 2, refusal);
    for (const { modules } of [first, await first.restart({ review: 'none' })]) {
      const again = { actor: CAROL, reason: 'another' };
      const message = 'bob has refused version 2: a new version has to be posted';
      const error = { code: 'VERSION_REFUSED', message };
      await expect(modules.approve(REPORT, 2, CAROL)).rejects.toMatchObject(error);
      await expect(modules.reject(REPORT, 2, again)).rejects.toMatchObject(error);
      await expect(modules.rollback(REPORT, 2, ALICE)).rejects.toMatchObject(error);
      expect((await modules.versions(REPORT))[1]?.refused).toEqual({
        by: 'bob',
        at: AT,
        reason: refusal.reason,
      });
      expect(modules.source(REPORT)).toBe(code({}, 'one'));
    }
  });

  it('may be posted again, and be approved as a new version', async () => {
    const { modules } = await withWaiting();
    await modules.reject(REPORT, 2, refusal);
    expect(await modules.postCode(REPORT, code({}, 'two'), ALICE)).toMatchObject({
      version: 3,
      pending: true,
    });
    await modules.approve(REPORT, 3, BOB);
    expect(modules.source(REPORT)).toBe(code({}, 'two'));
  });

  it('is none that a file of the same text brings into force', async () => {
    const first = await loadedModules({ review: 'all' });
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.modules.reject(REPORT, 1, refusal);
    await first.close();
    await first.write(FILE, code());
    const { modules } = await first.restart();
    expect(await modules.versions(REPORT)).toMatchObject([
      { version: 1, active: false, clientId: 'alice', refused: { by: 'bob' } },
      { version: 2, active: true, clientId: null },
    ]);
  });

  it('leaves newer ones waiting', async () => {
    const { modules } = await withWaiting();
    await modules.postCode(REPORT, code({}, 'three'), ALICE);
    await modules.reject(REPORT, 2, refusal);
    expect(modules.policy(REPORT)).toMatchObject({ code: { pending: [3] } });
    await modules.approve(REPORT, 3, BOB);
    expect(modules.source(REPORT)).toBe(code({}, 'three'));
  });

  it('may be a policy: the one in force stays', async () => {
    const { modules } = await withWaiting();
    await modules.approve(REPORT, 2, BOB);
    await modules.putPolicy(REPORT, { grants }, ALICE);
    expect([...(await modules.pending())]).toEqual([
      ['endpoint:1.0/report', [{ version: 3, part: 'policy', by: 'alice', at: AT }]],
    ]);
    await modules.reject(REPORT, 3, refusal);
    expect(modules.registry.get(REPORT)?.moduleVersion?.policy.grants.collections).toEqual([]);
    expect((await modules.pending()).size).toBe(0);
    expect((await modules.versions(REPORT))[2]).toMatchObject({ refused: { by: 'bob' } });
  });

  it('is in the audit log with the hashes of what was refused and of what stays', async () => {
    const { modules, entries } = await withWaiting();
    await modules.reject(REPORT, 2, refusal);
    expect((await entries()).at(-1)).toMatchObject({
      action: 'endpoint.refuse',
      target: '/1.0/report',
      clientId: 'bob',
      before: sha256Hex(code({}, 'two')),
      after: sha256Hex(code({}, 'one')),
      policy: { before: null, after: null },
    });
  });
});

describe('a module whose only version was refused', () => {
  it('stays, with its versions, until it is removed or has code that is approved', async () => {
    const first = await loadedModules({ review: 'all' });
    await first.modules.postCode(REPORT, code({}, 'one'), ALICE);
    await first.modules.reject(REPORT, 1, refusal);
    const second = await first.restart();
    for (const { modules } of [first, second]) expect(modules.registry.get(REPORT)?.state).toBe('pending');
    const { modules } = second;
    await expect(modules.putPolicy(REPORT, { grants }, ALICE)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('post code first'),
    });
    expect(await modules.postCode(REPORT, code({}, 'two'), ALICE)).toMatchObject({
      created: false,
      version: 2,
    });
    await modules.remove(REPORT, ALICE);
    const third = await second.restart();
    expect(third.modules.registry.get(REPORT)).toBeUndefined();
    expect((await third.modules.versions(REPORT))[0]).toMatchObject({ refused: { by: 'bob' } });
  });
});

describe('a refusal', () => {
  it('is never by an author, and of nothing that does not wait', async () => {
    const { modules } = await withWaiting();
    const by = (actor: typeof BOB) => ({ actor, reason: 'no' });
    await expect(modules.reject(REPORT, 2, by(ALICE))).rejects.toMatchObject({ code: 'APPROVAL_REFUSED' });
    await expect(modules.reject(REPORT, 9, by(BOB))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(modules.reject(endpoint('other'), 1, by(BOB))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(modules.reject(REPORT, 1, by(BOB))).rejects.toMatchObject({
      code: 'VERSION_NOT_PENDING',
      message: 'Version 1 does not wait for approval: carol has approved it',
    });
    await modules.postCode(REPORT, code({}, 'three'), ALICE);
    await modules.approve(REPORT, 3, BOB);
    await expect(modules.reject(REPORT, 2, by(BOB))).rejects.toMatchObject({ code: 'VERSION_NOT_PENDING' });
  });

  it.each([0, 1])('and an approval at the same time: the first one wins (order %i)', async (order) => {
    const { modules } = await withWaiting();
    const decide = [() => modules.approve(REPORT, 2, CAROL), () => modules.reject(REPORT, 2, refusal)];
    const [a, b] = order === 0 ? decide : decide.toReversed();
    const [first, second] = await Promise.allSettled([a?.(), b?.()]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
    expect(second).toMatchObject({
      reason: { code: order === 0 ? 'VERSION_NOT_PENDING' : 'VERSION_REFUSED', status: 409 },
    });
    expect(modules.source(REPORT)).toBe(code({}, order === 0 ? 'two' : 'one'));
  });

  it('at one process ends what an approval at another one, which has not heard of it, would begin', async () => {
    const first = await withWaiting();
    const other = await openModules({ store: first.store, root: first.root, review: 'all' });
    await other.modules.load();
    await first.modules.reject(REPORT, 2, refusal);
    await expect(other.modules.approve(REPORT, 2, CAROL)).rejects.toMatchObject({ code: 'VERSION_REFUSED' });
    expect(other.modules.source(REPORT)).toBe(code({}, 'one'));
  });
});
