// Two processes on one MongoDB decide about the same version at the same time: one of them does.
import { expect, it, onTestFinished } from 'vitest';
import { openMongoDocuments } from '../../../src/stores/mongo-documents/store.ts';
import { ALICE, BOB, CAROL } from '../../helpers/fixtures/actors.ts';
import { describeMongo, ownDatabase } from '../../helpers/store/mongo-servers.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';
import { code, endpoint, loadedModules } from '../open-modules.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const REPORT = endpoint('report');
const ROUNDS = 8;

function open(uri: string) {
  const pool = { maxPoolSize: 20, minPoolSize: 0, separateDatabases: false };
  const store = openMongoDocuments({ uri, ...pool, queryMs: 60_000, log });
  onTestFinished(() => store.close());
  return store;
}

describeMongo('two processes on one MongoDB', (servers) => {
  it.each(['standalone', 'replicaSet'] as const)('take one of two decisions: %s', async (kind) => {
    const uri = await ownDatabase(servers[kind]);
    const root = await temporaryFolder();
    const first = await loadedModules({ store: open(uri), root, review: 'all' });
    for (let round = 0; round < ROUNDS; round += 1)
      await first.modules.postCode(REPORT, code({}, `${round}`), ALICE);
    // The other one starts when everything waits, and hears nothing of what the first one decides.
    const { modules: other } = await loadedModules({ store: open(uri), root, review: 'all' });
    for (let version = 1; version <= ROUNDS; version += 1) {
      const outcomes = await Promise.allSettled([
        first.modules.reject(REPORT, version, { actor: BOB, reason: 'no' }),
        other.approve(REPORT, version, CAROL),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const lost = outcomes.find(({ status }) => status === 'rejected');
      const isApproved = outcomes[1].status === 'fulfilled';
      expect(lost).toMatchObject({
        reason: { code: isApproved ? 'VERSION_NOT_PENDING' : 'VERSION_REFUSED', status: 409 },
      });
      const known = (await first.modules.versions(REPORT)).find((one) => one.version === version);
      expect(known?.refused?.by).toBe(isApproved ? undefined : 'bob');
    }
  });
});
