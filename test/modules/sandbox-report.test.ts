import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/lib/sha256.ts';
import { createSandboxReport } from '../../src/modules/sandbox-report.ts';
import { createFolderWorkspace } from '../../src/stores/folder-workspace.ts';
import { ALICE, BOB } from '../helpers/fixtures/actors.ts';
import { code, endpoint, hook, loadedModules, type Opened, packaged } from './open-modules.ts';

// Far ahead: the store holds deadlines against its own clock.
const at = Date.parse('2040-11-21T06:00:00Z');
const selfTest = { state: 'passed', items: [] } as const;

const report = ({ store, root }: Pick<Opened, 'store' | 'root'>) =>
  createSandboxReport({
    workspace: createFolderWorkspace(),
    store,
    folders: { endpoints: join(root, 'endpoints'), hooks: join(root, 'hooks') },
    policyLimits: packaged,
    limits: { endpointCodeBytes: 10_000, jsonBytes: 1_000_000 },
    queryMs: 60_000,
    now: () => at,
    status: { level: 3, selfTest, versions: null, jit: null },
  });

describe('the sandbox report', () => {
  it('lists code, author, policy and violations of every module', async () => {
    const opened = await loadedModules({ now: () => at, review: 'grants' });
    const { modules } = opened;
    const report42 = endpoint('report');
    await modules.postCode(report42, code({ route: '/1.0/reports/:id' }), ALICE);
    const policy = { limits: { cpuMs: 50 }, isolation: 'context' };
    await modules.putPolicy(report42, policy, ALICE);
    modules.onIncident({ moduleId: 'endpoint:1.0/report', version: 1, kind: 'kill', limit: 'heapMb' });
    await modules.postCode(hook('slugify'), code(), BOB);
    await modules.suspend(hook('slugify'), BOB);
    const grants = { collections: [{ name: '1.0/library/books', actions: ['find'] }] };
    await modules.putPolicy(hook('slugify'), { grants }, BOB);
    await modules.approve(hook('slugify'), 2, ALICE);
    await opened.close();

    expect(await report(opened)).toEqual({
      generatedAt: '2040-11-21T06:00:00.000Z',
      level: 3,
      jit: null,
      selfTest,
      versions: null,
      ceilings: packaged,
      endpoints: [
        {
          version: '1.0',
          name: 'report',
          path: '/1.0/reports/:id',
          state: 'active',
          suspendedBy: null,
          suspendedClient: null,
          suspendedAt: null,
          quarantined: true,
          sha256: sha256Hex(code({ route: '/1.0/reports/:id' })),
          codeVersion: 1,
          postedBy: 'alice',
          postedAt: '2040-11-21T06:00:00.000Z',
          approvedBy: null,
          approvedAt: null,
          pending: [],
          file: 'same',
          policy: { version: 1, ...policy },
          effectiveLimits: expect.objectContaining({ cpuMs: 50, wallMs: 5000 }),
          lastViolations: [{ at: '2040-11-21T06:00:00.000Z', kind: 'kill', limit: 'heapMb', version: 1 }],
        },
      ],
      hooks: [
        expect.objectContaining({
          name: 'slugify',
          path: '/api/hooks/slugify',
          state: 'suspended',
          suspendedBy: 'admin',
          suspendedClient: 'bob',
          suspendedAt: '2040-11-21T06:00:00.000Z',
          postedBy: 'bob',
          approvedBy: 'alice',
          approvedAt: '2040-11-21T06:00:00.000Z',
          policy: { version: 1, grants },
        }),
      ],
    });
  });

  it('distinguishes broken, pending, new and edited modules', async () => {
    const opened = await loadedModules({ review: 'all' });
    await opened.write('hooks/before.js', code({}, 'syntax'));
    await opened.write('hooks/doubtful.js', code());
    await opened.write('hooks/doubtful.policy.json', '{"limits":1}');
    await opened.modules.postCode(endpoint('waits'), code(), ALICE);
    await opened.write('hooks/edited.js', code({}, 'one'));
    const next = await opened.restart();
    await next.close();
    await next.write('hooks/edited.js', code({}, 'two'));
    await next.write('hooks/unseen.js', code());
    const { endpoints, hooks } = await report(next);
    const shown = [...endpoints, ...hooks].map(({ name, state, file }) => [name, state, file]);
    expect(shown).toEqual([
      ['waits', 'pending', 'absent'],
      ['before', 'broken', 'different'],
      ['doubtful', 'broken', 'same'],
      ['edited', 'active', 'different'],
      ['unseen', 'new', 'different'],
    ]);
  });

  it('leaves out removed modules', async () => {
    const opened = await loadedModules();
    await opened.modules.postCode(endpoint('report'), code(), ALICE);
    await opened.modules.remove(endpoint('report'), ALICE);
    expect((await report(opened)).endpoints).toEqual([]);
  });
});
