import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { diffSources } from '../../../src/modules/versions/version-history.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { threadCpuMs } from '../../../src/workers/match-patterns.ts';
import { ALICE, BOB, CAROL } from '../../helpers/fixtures/actors.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';
import { code, endpoint, loadedModules } from '../open-modules.ts';

const REPORT = endpoint('report');

describe('the history of a module', () => {
  it('lists versions, their sources and diffs', async () => {
    const begin = Date.now();
    let time = begin;
    const { modules } = await loadedModules({ now: () => time });
    await modules.postCode(REPORT, code({}, 'one'), ALICE);
    time = begin + 1;
    await modules.postCode(REPORT, code({}, 'two'), BOB);
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const first = { version: 1, sha256: sha256(code({}, 'one')), clientId: 'alice', createdAt: begin };
    const second = { version: 2, sha256: sha256(code({}, 'two')), clientId: 'bob', createdAt: begin + 1 };
    expect(await modules.versions(REPORT)).toMatchObject([
      { ...first, part: 'code', active: false },
      { ...second, part: 'code', active: true },
    ]);
    expect(await modules.versionSource(REPORT, 1)).toBe(code({}, 'one'));
    expect(modules.source(REPORT)).toBe(code({}, 'two'));
    const diff = await modules.diff(REPORT, 1, 2);
    expect(diff.split('\n').slice(0, 2)).toEqual(['--- endpoint:1.0/report@1', '+++ endpoint:1.0/report@2']);
    expect(diff).toContain('\n-one\n');
    expect(await modules.diff(REPORT, 2, 2)).toBe('');
    await modules.rollback(REPORT, 1, CAROL);
    expect(await modules.versions(REPORT)).toMatchObject([
      { ...first, active: false },
      { ...second, active: false },
      { ...first, version: 3, clientId: 'carol', createdAt: begin + 1, active: true },
    ]);
  });

  it('lists what waits from the store once: what was listed is listed while that is away', async () => {
    const { store } = await openTemporaryStore();
    let isAway = false;
    const fading: DocumentStore = {
      ...store,
      count: (...args) => store.count(...args),
      health: () => store.health(),
      ensureIndexes: (...args) => store.ensureIndexes(...args),
      commit: (...args) => store.commit(...args),
      find: async (...args) => {
        if (isAway) throw new StoreError('unavailable');
        return store.find(...args);
      },
    };
    const { modules } = await loadedModules({ store: fading, review: 'all' });
    const versions = async () =>
      [...(await modules.pending())].map(([key, list]) => [key, list.map(({ version }) => version)]);
    expect(await versions()).toEqual([]);
    await modules.postCode(REPORT, code({}, 'one'), ALICE);
    await modules.postCode(endpoint('other'), code(), ALICE);
    const both = [
      ['endpoint:1.0/report', [1]],
      ['endpoint:1.0/other', [1]],
    ];
    expect(await versions()).toEqual(both);
    isAway = true;
    expect(await versions()).toEqual(both);
    isAway = false;
    await modules.postCode(REPORT, code({}, 'two'), ALICE);
    await modules.approve(endpoint('other'), 1, BOB);
    isAway = true;
    await expect(versions()).rejects.toMatchObject({ reason: 'unavailable' });
    isAway = false;
    expect(await versions()).toEqual([['endpoint:1.0/report', [1, 2]]]);
    await modules.approve(REPORT, 2, BOB);
    isAway = true;
    expect(await versions()).toEqual([]);
  });

  it('can be read after its removal, also across a restart', async () => {
    const first = await loadedModules();
    await first.modules.postCode(REPORT, code({}, 'one'), ALICE);
    await first.modules.postCode(REPORT, code({}, 'two'), BOB);
    await first.modules.remove(REPORT, BOB);
    for (const { modules } of [first, await first.restart()]) {
      expect(await modules.versions(REPORT)).toMatchObject([
        { version: 1, clientId: 'alice', active: false },
        { version: 2, clientId: 'bob', active: false },
      ]);
      expect(await modules.versionSource(REPORT, 2)).toBe(code({}, 'two'));
      expect(await modules.diff(REPORT, 1, 2)).toContain('\n-one\n');
      expect(modules.registry.match('/1.0/report')).toBeUndefined();
      expect(modules.registry.match('/1.0/report/policy')).toBeUndefined();
      expect(modules.registry.match('/1.0/report/versions/2')).toMatchObject({ sub: ['versions', '2'] });
      expect(modules.registry.list()).toEqual([]);
      await expect(modules.rollback(REPORT, 1, BOB)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('rejects unknown modules and versions', async () => {
    const { modules } = await loadedModules();
    await modules.postCode(REPORT, code(), ALICE);
    const unknown = { code: 'NOT_FOUND' };
    await expect(modules.versionSource(REPORT, 2)).rejects.toMatchObject(unknown);
    await expect(modules.versionSource(REPORT, Number.NaN)).rejects.toMatchObject(unknown);
    await expect(modules.diff(REPORT, 1, 2)).rejects.toMatchObject(unknown);
    await expect(modules.versions(endpoint('other'))).rejects.toMatchObject(unknown);
    expect(() => modules.source(endpoint('other'))).toThrow(expect.objectContaining(unknown));
    expect(() => modules.policy(endpoint('other'))).toThrow(expect.objectContaining(unknown));
    expect(() => modules.logs(endpoint('other'), { limit: 1, after: 0 })).toThrow(
      expect.objectContaining(unknown),
    );
  });
});

const diff = (a: string, b: string) => diffSources({ name: 'a', text: a }, { name: 'b', text: b });

describe('diffSources', () => {
  it('is a unified diff', () => {
    expect(diff('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n6\n7\n8\n9\n')).toBe(
      '--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    );
  });

  it('is empty for equal texts', () => {
    expect(diff('1\n', '1\n')).toBe('');
  });

  it('marks a missing line end', () => {
    expect(diff('1\n', '1')).toBe('--- a\n+++ b\n@@ -1,1 +1,1 @@\n-1\n+1\n\\ No newline at end of file\n');
  });

  it('replaces texts whole that take too long to compare', () => {
    const lines = (mark: string) => Array.from({ length: 20_000 }, (_, at) => `${mark}${at}`).join('\n');
    const begun = threadCpuMs();
    const text = diff(`${lines('a')}\n`, lines('b'));
    expect(threadCpuMs() - begun).toBeLessThan(1000);
    expect(text.startsWith('--- a\n+++ b\n@@ -1,20000 +1,20000 @@\n-a0\n')).toBe(true);
    expect(text.endsWith('+b19999\n\\ No newline at end of file\n')).toBe(true);
    expect(text.split('\n').filter((line) => line.startsWith('-a'))).toHaveLength(20_000);
  });
});
