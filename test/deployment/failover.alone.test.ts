// Three servers on a replica set of three and Redis, under mixed load: the primary is killed, a server, Redis, and a server is
// stopped for ten seconds. No acknowledged write is lost, nothing older than one is answered, 503 is over soon, and everything
// goes on by itself.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startDeployment } from '../helpers/server-process/deployment.ts';
import { resumeProcess, suspendProcess } from '../helpers/server-process/server-process.ts';
import { describeMongo } from '../helpers/store/mongo-servers.ts';
import { launchReplicaSet } from '../helpers/store/mongod.ts';
import { startRedis } from '../helpers/store/redis-and-s3.ts';
import {
  createTrackedWriter,
  seededRandom,
  TRACKED_COLLECTION,
  verifyWriters,
} from '../helpers/store/tracked-writer.ts';
import { withDatabase } from '../helpers/temp/workspace.ts';
import { keepLedger, readLedger } from './load/ledgers.ts';
import { killWithinTransaction } from './load/open-transactions.ts';
import { createRegisters, postTally, REGISTER_SPECS, useRegister } from './load/registers.ts';
import { Watch } from './load/watch.ts';

const NODES = [0, 1, 2] as const;
const LONGEST_AWAY_MS = 15_000;
const STOPPED_MS = 10_000;
/** For longer runs by hand. */
const ROUNDS = Number(process.env['FAILOVER_ROUNDS'] ?? 1);

describeMongo('Three servers on one database', () => {
  it('lose nothing, and go on by themselves, whichever process is killed or stopped', async () => {
    const mongo = await launchReplicaSet();
    onTestFinished(() => mongo.dispose());
    const redis = await startRedis();
    onTestFinished(() => redis.dispose());
    const deployment = await startDeployment({
      uri: withDatabase(mongo.uri, 'failover'),
      count: NODES.length,
      specs: { '1.0/library/ledger': TRACKED_COLLECTION, ...REGISTER_SPECS },
      env: {
        CLOISTER_CACHE_ENABLED: 'true',
        CLOISTER_CACHE_ENGINE: 'redis',
        CLOISTER_CACHE_REDIS_URL: redis.url,
        CLOISTER_LIMITS_QUERY_MS: '5000',
      },
    });
    onTestFinished(() => deployment.close());
    const { servers } = deployment;
    const watch = new Watch(() => deployment.servers);
    await postTally(servers[0]!);
    const random = seededRandom(Number(process.env['FAILOVER_SEED'] ?? 20_261_127));
    const ledgers = NODES.map((writer) => createTrackedWriter(writer, random));
    const registers = await Promise.all(
      NODES.map((node) => createRegisters(servers[node]!, `server ${node}`)),
    );
    await pause(1500);
    const load = Promise.all([
      ...NODES.map((node) => keepLedger(ledgers[node]!, watch, node)),
      ...NODES.map((writer) => readLedger({ writer, ledger: ledgers[writer]! }, watch)),
      ...NODES.flatMap((node) => registers[node]!.map((one) => useRegister(one, watch, node))),
    ]);
    const stopOne = async () => {
      const { pid = 0 } = servers[1]!.server.process;
      await suspendProcess(pid);
      watch.setStopped(1, true);
      await pause(STOPPED_MS);
      resumeProcess(pid);
      watch.setStopped(1, false);
    };
    const killOne = async () => {
      const { processes } = (await servers[2]!.request('GET', '/api/status')).body;
      await killWithinTransaction(mongo.uri, processes[0].id, () => servers[2]!.server.stop('SIGKILL'));
      // It answers 503 while it starts: a balancer waits for its /health.
      watch.setStopped(2, true);
      await deployment.restart(2);
      watch.setStopped(2, false);
    };
    const killPrimary = async () => {
      const start = await mongo.killPrimary();
      await pause(LONGEST_AWAY_MS);
      await start();
    };
    /** Each with the milliseconds until the next one: what it may be felt for, and some load after that. */
    const faults: readonly (readonly [string, () => Promise<unknown>, number])[] = [
      ['nothing', async () => undefined, 3000],
      ['Redis is killed', () => redis.restart(), 6000],
      ['a server is stopped', stopOne, 6000],
      ['a server is killed', killOne, 12_000],
      ['the primary is killed', killPrimary, 3000],
    ];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, make, laterMs] of faults) {
        watch.begin(name);
        await make();
        await pause(laterMs);
      }
    }
    watch.end();
    await load;
    console.info(`failover: ${watch.answered()} answers; 503 lasted: ${JSON.stringify(watch.outages())}`);
    if (watch.wrongs().length > 0 || process.env['FAILOVER_LOGS'])
      for (const { server } of deployment.servers) console.info(server.output());
    expect(watch.wrongs()).toEqual([]);
    for (const [name, outage] of watch.outages())
      for (const ms of Object.values(outage)) expect(ms, name).toBeLessThan(LONGEST_AWAY_MS);
    await verifyWriters(servers[0]!, ledgers);
    for (const { request } of deployment.servers)
      expect((await request('GET', '/api/status')).body.processes).toHaveLength(NODES.length);
  });
});
