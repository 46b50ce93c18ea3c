// A replica set of three under mixed load loses its primary to SIGKILL: nothing acknowledged is lost, nothing wrong is
// served, the server says 503 for a short while, and nobody has to do anything.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type Client, connectClient } from '../helpers/server-process/client.ts';
import { spawnServer } from '../helpers/server-process/server-process.ts';
import { pollWithin, startLoopClock } from '../helpers/server-process/timing.ts';
import { describeMongo } from '../helpers/store/mongo-servers.ts';
import { launchReplicaSet } from '../helpers/store/mongod.ts';
import {
  createTrackedWriter,
  seededRandom,
  TRACKED_COLLECTION,
  type TrackedWriter,
  verifyWriters,
} from '../helpers/store/tracked-writer.ts';
import { createWorkspace, mongoEnvironment, withDatabase } from '../helpers/temp/workspace.ts';

const WRITERS = 4;
const READERS = 2;
/** Acknowledged writes before the kill, and after it. */
const BEFORE = 400;
const AFTER = 400;
const LONGEST_AWAY_MS = 15_000;
const GIVE_UP_MS = 40_000;
const LIST = '/1.0/library/ledger';

/** What was seen of the server while it may have been away. */
function createWatch(client: Client) {
  const clock = startLoopClock();
  onTestFinished(clock.stop);
  let firstRefusal: number | undefined;
  let lastRefusal: number | undefined;
  const wrong: string[] = [];
  const request: Client['request'] = async (method, path, body) => {
    const answer = await client.request(method, path, body);
    if (answer.status !== 503) return answer;
    firstRefusal ??= clock.ms();
    lastRefusal = clock.ms();
    const { code } = answer.body.errors[0];
    if (code !== 'API-0004' || !/^[1-9]\d*$/.test(answer.headers.get('retry-after') ?? '')) {
      wrong.push(JSON.stringify(answer.body));
    }
    return answer;
  };
  /** Asks again while the answer is 503. */
  const patient: Client['request'] = async (method, path, body) => {
    const giveUp = clock.ms() + GIVE_UP_MS;
    for (;;) {
      const answer = await request(method, path, body);
      if (answer.status !== 503 || clock.ms() > giveUp) return answer;
      await pause(100);
    }
  };
  return {
    hasty: { ...client, request },
    patient: { ...client, request: patient },
    wrong,
    ms: clock.ms,
    awayMs: () => (lastRefusal ?? 0) - (firstRefusal ?? 0),
    refused: () => firstRefusal !== undefined,
    lastRefusal: () => lastRefusal ?? 0,
  };
}

type Watch = ReturnType<typeof createWatch>;

/** Writes on and on; what is refused is sent again, and what is there then must be what that leads to. */
async function write(ledger: TrackedWriter, { hasty, patient }: Watch, enough: () => boolean): Promise<void> {
  while (!enough()) {
    await ledger.run(hasty, enough);
    // Before anything is written: a server that was just elected must not serve what it had a moment earlier.
    await ledger.expectAcknowledged(patient);
    await ledger.settlePending(patient);
    await ledger.verify(patient);
  }
}

/** Lists a writer's documents on and on: whole ones, and none older than what was acknowledged before it asked. */
async function read(
  writer: number,
  { ledger, watch, enough }: { ledger: TrackedWriter; watch: Watch; enough: () => boolean },
) {
  const path = `${LIST}?count=1000&filter=${encodeURIComponent(JSON.stringify({ writer }))}`;
  while (!enough()) {
    const least = ledger.minVersions();
    const { status, body } = await watch.hasty.request('GET', path);
    if (status === 503) await pause(50);
    for (const { title, v, history } of status === 200 ? body.results : []) {
      if (history.length !== v || v < (least.get(title) ?? 0))
        watch.wrong.push(`${title}: v ${v}, ${history.length} revisions`);
    }
  }
}

describeMongo('A replica set whose primary is killed', () => {
  it('continues without intervention and keeps every acknowledged write', async () => {
    const servers = await launchReplicaSet();
    const workspace = createWorkspace({ [LIST.slice(1)]: TRACKED_COLLECTION });
    const env = mongoEnvironment(withDatabase(servers.uri, 'failover'));
    const server = await spawnServer({ cwd: workspace.cwd, env });
    try {
      const watch = createWatch(await connectClient(server.url));
      const random = seededRandom(20_260_101);
      const ledgers = Array.from({ length: WRITERS }, (_, writer) => createTrackedWriter(writer, random));
      let done = false;
      const enough = () => done;
      const load = Promise.all([
        ...ledgers.map((ledger) => write(ledger, watch, enough)),
        ...ledgers.slice(0, READERS).map((ledger, writer) => read(writer, { ledger, watch, enough })),
      ]);
      const acknowledged = () => ledgers.reduce((sum, ledger) => sum + ledger.acknowledged(), 0);
      const reaches = (count: number) =>
        Promise.race([
          load,
          pollWithin(GIVE_UP_MS, () => expect(acknowledged()).toBeGreaterThanOrEqual(count)),
        ]);
      await reaches(BEFORE);
      expect(watch.refused()).toBe(false);
      const before = acknowledged();
      const killed = watch.ms();
      await servers.killPrimary();
      await reaches(before + AFTER);
      done = true;
      await load;
      console.info(
        `failover: ${before} writes before, ${acknowledged() - before} after, ${watch.awayMs()} ms of 503`,
      );
      expect(watch.wrong).toEqual([]);
      expect(watch.lastRefusal() - killed).toBeLessThan(LONGEST_AWAY_MS);
      await verifyWriters(watch.hasty, ledgers);
    } finally {
      await server.stop();
      await servers.dispose();
      workspace.remove();
    }
  });
});
