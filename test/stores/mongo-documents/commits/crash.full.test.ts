// What is left of commits when the server, or the process that asks, is killed in the middle of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { BOOKS, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, describeServer } from '../../../helpers/store/mongo-servers.ts';
import { openStallingProxy } from '../connection/stalling-proxy.ts';
import { countsAfter, expectWhole, recordScenarios, type Scenario } from './scenarios.ts';
import { openWorkbench } from './workbench.ts';

const hostOf = (uri: string) => new URL(uri).host;

const isDone = (work: Promise<void>) =>
  work.then(
    () => true,
    () => false,
  );

describeMongo('interrupted commits', () => {
  const shared = describeServer();

  test('leave at most extra documents when the server is killed after any command', async () => {
    const server = shared();
    const scenarios = await recordScenarios();
    const cutOff = async (scenario: Scenario, name: string, passes: number) => {
      const bench = openWorkbench(`${server.uri}${name}`);
      for (const writes of scenario.before) await bench.commit(writes);
      const port = await openStallingProxy(hostOf(server.uri), passes);
      const done = isDone(openWorkbench(`mongodb://${port.host}/${name}`).commit(scenario.writes));
      await Promise.race([port.held, done]);
      return { scenario, bench, done };
    };
    const running: Awaited<ReturnType<typeof cutOff>>[] = [];
    for (let passes = 0; passes <= 6; passes += 1) {
      const cuts = scenarios.map((scenario, at) => cutOff(scenario, `cut-${passes}-${at}`, passes));
      running.push(...(await Promise.all(cuts)));
    }
    await server.kill();
    await server.start();
    let acknowledged = 0;
    for (const { scenario, bench, done } of running) {
      const wasAcknowledged = await done;
      const counts = await expectWhole(bench);
      if (wasAcknowledged) expect(counts, scenario.name).toEqual(countsAfter(scenario, true));
      acknowledged += wasAcknowledged ? 1 : 0;
      // What was acknowledged before is there, save for what a removal has taken.
      const least = countsAfter(
        { ...scenario, writes: scenario.writes.filter(({ kind }) => kind === 'remove') },
        true,
      );
      for (const [name, count] of Object.entries(least)) {
        expect(counts[name], `${scenario.name}: ${name}`).toBeGreaterThanOrEqual(count);
      }
    }
    // Every scenario was let through in the end, and none at the start.
    expect(acknowledged).toBeGreaterThanOrEqual(scenarios.length);
    expect(acknowledged).toBeLessThan(running.length / 2);
  });

  test('leave at most extra documents when the writing process is killed', async () => {
    const server = shared();
    const [{ writes }] = (await recordScenarios()) as [Scenario];
    const killAfter = async (passes: number) => {
      const uri = `${server.uri}left-${passes}`;
      const port = await openStallingProxy(hostOf(uri), passes);
      const child = spawn(
        process.execPath,
        ['--input-type=module', '-e', WRITER, `mongodb://${port.host}/left-${passes}`],
        {
          stdio: ['pipe', 'ignore', 'inherit'],
        },
      );
      child.stdin.end(JSON.stringify(writes));
      await port.held;
      child.kill('SIGKILL');
      await once(child, 'exit');
      const counts = await expectWhole(openWorkbench(uri));
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(passes);
    };
    await Promise.all([0, 1, 2, 3, 4].map(killAfter));
  });

  test('lose none of a thousand acknowledged writes when the server is killed', async () => {
    const server = shared();
    const bench = openWorkbench(`${server.uri}many`);
    const acknowledged = { books: [] as number[], pairs: [] as number[] };
    let up = true;
    const write = async (writer: number) => {
      for (let n = writer; up; n += 20) {
        const isPair = n % 4 === 0;
        const writes = isPair ? [insert(NEIGHBOUR, n, {}), insert(BOOKS, n, {})] : [insert(BOOKS, n, {})];
        if (!(await isDone(bench.commit(writes)))) return;
        acknowledged[isPair ? 'pairs' : 'books'].push(n);
      }
    };
    const writers = Array.from({ length: 20 }, (_, writer) => write(writer));
    const enough = () => acknowledged.books.length + acknowledged.pairs.length;
    await expect.poll(enough).toBeGreaterThan(1000);
    await server.kill();
    up = false;
    await Promise.all(writers);
    await server.start();
    const numbers = async (ns: typeof BOOKS) =>
      new Set((await bench.stored(ns)).map(({ _id }) => Number.parseInt(String(_id), 16)));
    const [books, neighbours] = [await numbers(BOOKS), await numbers(NEIGHBOUR)];
    const all = [...acknowledged.books, ...acknowledged.pairs];
    expect(all.filter((n) => !books.has(n))).toEqual([]);
    expect(acknowledged.pairs.filter((n) => !neighbours.has(n))).toEqual([]);
  });
});

const modulePath = (name: string) =>
  new URL(`../../../../src/stores/mongo-documents/${name}`, import.meta.url).href;

/** Commits what it reads, once. */
const WRITER = `
  const { createConnection } = await import(${JSON.stringify(modulePath('connection/connection.ts'))});
  const { createMongoCommits } = await import(${JSON.stringify(modulePath('commits/commits.ts'))});
  const { createTypeProbe } = await import(${JSON.stringify(modulePath('query/type-probe.ts'))});
  const log = { info() {}, warn() {}, error() {} };
  const typeProbe = createTypeProbe(() => performance.now());
  const options = { uri: process.argv[1], maxPoolSize: 5, minPoolSize: 0, separateDatabases: false, queryMs: 60000, log };
  const connection = createConnection(options);
  const { commit } = createMongoCommits({ connection, indexes: { of: () => [] }, typeProbe, log });
  let text = '';
  for await (const part of process.stdin) text += part;
  await commit(JSON.parse(text));
`;
