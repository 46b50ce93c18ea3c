// What a server of several workers must do on either database: real processes on real ports.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { askOnce, startWorkers, type WorkerServer } from '../../helpers/server-process/workers.ts';
import {
  createTrackedWriter,
  seededRandom,
  TRACKED_COLLECTION,
  verifyWriters,
} from '../../helpers/store/tracked-writer.ts';
import { createWorkspace, type Workspace } from '../../helpers/temp/workspace.ts';

const COUNT = 2;
const WRITERS = 6;
const KILLS = 3;
/** Acknowledged writes between two kills. */
const WRITES = 60;

/** A worker that answers, and all that it knows. */
async function statusOf(server: WorkerServer) {
  const { body } = await server.ask('GET', '/api/status');
  const processes = body.processes as readonly { readonly pid: number; readonly isSelf: boolean }[];
  return { self: processes.find(({ isSelf }) => isSelf)?.pid ?? 0, known: processes.map(({ pid }) => pid) };
}

const auditOf = async (server: WorkerServer, target: string): Promise<readonly string[]> => {
  const { body } = await server.ask('GET', `/api/audit?target=${encodeURIComponent(target)}`);
  return body.audit.map(({ action }: { action: string }) => action);
};

/** Registers the tests, which share one server. `environment` makes it use the database; called once. */
export function describeWorkers(environment: () => Promise<Readonly<Record<string, string>>>): void {
  let workspace: Workspace;
  let started: WorkerServer;
  beforeAll(async () => {
    workspace = createWorkspace({ '1.0/library/ledger': TRACKED_COLLECTION });
    started = await startWorkers({ cwd: workspace.cwd, count: COUNT, env: await environment() });
  });
  afterAll(async () => {
    await started?.server.stop('SIGKILL');
    workspace.remove();
  });

  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => console.error(started.server.output().slice(-8000)));
  });

  it('answers from every worker on one port, and says once that it is ready', async () => {
    const answered = new Set<number>();
    while (answered.size < COUNT) answered.add((await statusOf(started)).self);
    expect(answered).not.toContain(started.server.process.pid);
    expect(started.server.output().match(/content API ready at/g)).toHaveLength(1);
    expect(started.server.output().match(/delivery ready at/g)).toHaveLength(1);
  });

  it('has posted code in force at each worker, and records it once', async () => {
    const code = 'module.exports.get = (req, res) => res.end(\'"one"\');';
    expect((await started.ask('POST', '/1.0/posted/config', code)).status).toBe(200);
    for (let times = 0; times < 2 * COUNT; times += 1) {
      await expect.poll(async () => (await started.ask('GET', '/1.0/posted')).status).toBe(200);
    }
    expect(await auditOf(started, '/1.0/posted')).toEqual(['endpoint.create']);
    const { body } = await started.ask('GET', '/1.0/posted/versions');
    expect(body.versions).toHaveLength(1);
  });

  it('records a specification that somebody lays down by hand once, and serves it at each worker', async () => {
    const folder = join(workspace.path, 'collections', '1.0', 'library');
    mkdirSync(folder, { recursive: true });
    const text = JSON.stringify({ fields: { name: { type: 'String', required: true } }, settings: {} });
    writeFileSync(join(folder, 'collection.things.json'), text);
    for (let times = 0; times < 2 * COUNT; times += 1) {
      const create = async () => (await started.ask('POST', '/1.0/library/things', { other: 1 })).status;
      await expect.poll(create).toBe(400);
    }
    await expect.poll(() => auditOf(started, '/1.0/library/things')).toEqual(['specification.create']);
  });

  it('tells the metrics of all workers, whichever of them is asked, on both ports', async () => {
    const { server, client } = started;
    for (const url of [server.url, server.deliveryUrl]) {
      for (let times = 0; times < COUNT; times += 1) {
        let text = '';
        const workers = async () => {
          ({ body: text } = await askOnce(url, client.token, ['GET', '/metrics']));
          const found = [...text.matchAll(/^cloister_build_info\{.*worker="(\d+)".*\} 1$/gm)];
          return found.map(([, worker]) => worker).sort();
        };
        // One that the machine gives no time is left out.
        await expect.poll(workers).toEqual(['1', '2']);
        expect(text.match(/^# TYPE process_start_time_seconds /gm)).toHaveLength(1);
      }
    }
  });

  it('reads at each worker what another one has acknowledged', async () => {
    for (let n = 0; n < 40; n += 1) {
      const { body } = await started.ask('POST', '/1.0/library/things', { name: `thing ${n}` });
      const [{ _id }] = body.results;
      const found = await started.ask('GET', `/1.0/library/things/${_id}`);
      expect([found.status, found.body.results?.[0]?.name]).toEqual([200, `thing ${n}`]);
      await started.ask('PUT', `/1.0/library/things/${_id}`, { name: `changed ${n}` });
      const changed = await started.ask('GET', `/1.0/library/things/${_id}`);
      expect(changed.body.results[0].name).toBe(`changed ${n}`);
    }
  });

  it('replaces a worker that is killed under load, and loses nothing that was acknowledged', async () => {
    const random = seededRandom(20_261_127);
    const ledgers = Array.from({ length: WRITERS }, (_, writer) => createTrackedWriter(writer, random));
    const { client } = started;
    const acknowledged = () => ledgers.reduce((sum, ledger) => sum + ledger.acknowledged(), 0);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const enough = acknowledged() + WRITES;
      let isOver = false;
      const writing = Promise.all(ledgers.map((ledger) => ledger.run(client, () => isOver)));
      while (acknowledged() < enough && !(await Promise.race([writing.then(() => true), tick()])));
      const { self: killed } = await statusOf(started);
      process.kill(killed, 'SIGKILL');
      // All answer: one that is known may not listen yet, and the next to be killed must not be the last that does.
      const answering = new Set<number>();
      const isReplaced = async () => {
        // In one request: of several in turn, each would always reach the same worker.
        const { self, known } = await statusOf(started);
        answering.add(self).delete(killed);
        return answering.size === COUNT && known.length === COUNT && known.every((pid) => answering.has(pid));
      };
      await expect.poll(isReplaced).toBe(true);
      isOver = true;
      await writing;
      await verifyWriters(started.patient, ledgers);
    }
    expect(await started.ask('GET', '/health')).toMatchObject({ status: 200 });
  });

  it('stops on SIGTERM with exit code 0, says so last, and leaves no worker behind', async () => {
    const pids = await started.pids();
    expect(await started.server.stop()).toBe(0);
    // What a process has printed last may arrive after its end.
    await expect.poll(() => started.server.output()).toMatch(/"msg":"stopped"\}\n$/);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
}

const tick = () => new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
