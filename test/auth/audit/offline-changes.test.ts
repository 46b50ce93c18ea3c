import { describe, expect, it } from 'vitest';
import { type AuditedFileState, auditOfflineChanges } from '../../../src/auth/audit/offline-changes.ts';
import { BOSS } from '../../helpers/fixtures/actors.ts';
import { auditOf, silent } from '../../helpers/store/audit-log.ts';
import { openFailingStore } from '../../helpers/store/temporary-store.ts';

const spec = (target: string, hash: string): AuditedFileState => ({ what: 'specification', target, hash });
const policy = (hash: string): AuditedFileState => ({ what: 'endpoint.policy', target: '/1.0/report', hash });

async function open() {
  const store = await openFailingStore();
  const audit = auditOf(store);
  const common = { store, audit, now: Date.now, queryMs: 60_000, log: silent };
  let seen = 0;
  return {
    store,
    audit,
    start: (...files: readonly AuditedFileState[]) =>
      auditOfflineChanges({ ...common, files: async () => files }),
    act: (action: string, target: string, hashes: object) =>
      audit.record({ actor: BOSS, action, target, before: null, after: null, ...hashes }),
    /** The entries since it was asked last, without those of `act`. */
    async noted() {
      const entries = await audit.read(seen, 1000);
      seen = entries.at(-1)?.seq ?? seen;
      return entries.flatMap(({ clientId, action, target, before, after }) =>
        clientId === null ? [[action, target, before, after]] : [],
      );
    },
  };
}

describe('files that changed while no server ran', () => {
  it('are noted with their hashes: changed, added, removed; once', async () => {
    const { start, noted } = await open();
    await start(spec('/a', '1'), spec('/b', '2'));
    expect(await noted()).toEqual([]);
    await start(spec('/a', '9'), spec('/c', '3'));
    const told = [
      ['specification.found', '/a', '1', '9'],
      ['specification.found', '/b', '2', null],
      ['specification.found', '/c', null, '3'],
    ];
    expect(await noted()).toEqual(told);
    await start(spec('/a', '9'), spec('/c', '3'));
    expect(await noted()).toEqual([]);
  });

  it('are not those that the log tells of', async () => {
    const { start, act, noted } = await open();
    await start(spec('/a', '1'));
    await act('specification.replace', '/a', { before: '1', after: '2' });
    await act('specification.create', '/b', { after: '5' });
    await act('specification.remove', '/b', { before: '5' });
    await act('endpoint.policy', '/1.0/report', { after: 'p' });
    await act('endpoint.approve', '/1.0/report', { after: 'c', policy: { before: 'p', after: 'q' } });
    await act('endpoint.replace', '/1.0/report', { before: 'c', after: 'd' });
    await act('client.create', 'app', { after: 'x' });
    await start(spec('/a', '2'), policy('q'));
    await act('endpoint.remove', '/1.0/report', { before: 'd' });
    await start(spec('/a', '2'));
    expect(await noted()).toEqual([]);
  });

  it('are those of which the log says what did not happen, but for what it calls failed', async () => {
    const { start, act, noted } = await open();
    await start(spec('/a', '1'), policy('p'));
    await act('specification.replace', '/a', { before: '1', after: '2' });
    await act('specification.replace.failed', '/a', { before: '1', after: '2' });
    await act('endpoint.remove', '/1.0/report', { before: 'c' });
    await act('endpoint.remove.failed', '/1.0/report', { before: 'c' });
    await start(spec('/a', '1'), policy('p'));
    expect(await noted()).toEqual([]);
    await act('endpoint.policy', '/1.0/report', { before: 'p', after: 'q' });
    await start(spec('/a', '1'), policy('p'));
    expect(await noted()).toEqual([['endpoint.policy.found', '/1.0/report', 'q', 'p']]);
  });

  it('of a log that is older than this are compared with what it says', async () => {
    const { start, act, noted } = await open();
    await act('specification.create', '/a', { after: '1' });
    await start(spec('/a', '2'), spec('/laid', '3'));
    expect(await noted()).toEqual([['specification.found', '/a', '1', '2']]);
  });

  it('are noted by the next start where this one cannot', async () => {
    const { store, start, noted } = await open();
    await start(spec('/a', '1'));
    store.fail('busy', ['commit']);
    await expect(start(spec('/a', '2'))).rejects.toMatchObject({ reason: 'busy' });
    await start(spec('/a', '1'));
    store.recover();
    await start(spec('/a', '2'));
    expect(await noted()).toEqual([['specification.found', '/a', '1', '2']]);
  });
});
