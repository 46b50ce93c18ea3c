// What another process, killed or alive, may do to the data file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MATCH_ALL } from '../../../src/stores/filter.ts';
import { openSqliteDocuments } from '../../../src/stores/sqlite-documents/store.ts';
import { idOf, index, insert, query, where } from '../../contracts/store-cases.ts';

const NS = { database: null, collection: 'things' };
const STORE = new URL('../../../src/stores/sqlite-documents/store.ts', import.meta.url).href;

/** Writes forever, printing the number of each commit that was answered. */
const WRITER = `
  const { openSqliteDocuments } = await import(${JSON.stringify(STORE)});
  const [path, from] = process.argv.slice(1);
  const store = await openSqliteDocuments({ path, queueLimit: 1000 });
  const ns = ${JSON.stringify(NS)};
  const idOf = (n) => n.toString(16).padStart(24, '0');
  const keys = [{ path: 'n', direction: 1 }];
  void store.ensureIndexes(ns, [{ name: 'n', keys, unique: false, sparse: false }]).then(({ built }) => built);
  for (let n = Number(from); ; n += 1) {
    const pair = [2 * n, 2 * n + 1];
    await store.commit(pair.map((m) => ({ kind: 'insert', ns, document: { _id: idOf(m), n, pad: 'x'.repeat(300) } })));
    console.log(n);
  }
`;

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'cloister-crash-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Lets the writer answer `commits` times, kills it, and tells the last number it answered. */
async function writeAndKill(path: string, from: number, commits: number): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, path, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = -1;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    if (last >= from + commits) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return last;
}

describe('the data file', () => {
  it('keeps whole commits and consistent indexes when the process is killed', async () => {
    const path = await folder();
    let next = 0;
    for (const commits of [1, 300, 40]) next = (await writeAndKill(path, next, commits)) + 2;
    const store = await openSqliteDocuments({ path, queueLimit: 100 });
    onTestFinished(() => store.close());
    const documents = await store.find(NS, query({ limit: 100_000 }));
    const numbers = documents.map((document) => Number(document['n']));
    const answered = new Set(numbers);
    for (let n = 0; n < next - 2; n += 1) {
      // The two numbers between two processes may or may not have been committed.
      if (!answered.has(n)) expect(answered.has(n - 1)).toBe(true);
    }
    expect(answered.has(next - 2)).toBe(true);
    expect(numbers).toHaveLength(answered.size * 2);
    expect(await store.count(NS, MATCH_ALL)).toBe(numbers.length);
    const { built } = await store.ensureIndexes(NS, [index('n', { n: 1 })]);
    await built;
    for (const n of [0, 1, 150, next - 2]) {
      const filter = where('n', { kind: 'eq', value: n });
      expect(await store.count(NS, filter)).toBe(numbers.filter((number) => number === n).length);
    }
  });

  it('may be shared with another process, whose writes are visible at once', async () => {
    const path = await folder();
    const first = await openSqliteDocuments({ path, queueLimit: 100 });
    const second = await openSqliteDocuments({ path, queueLimit: 100 });
    onTestFinished(async () => {
      await first.close();
      await second.close();
    });
    await (await first.ensureIndexes(NS, [index('tags', { tags: 1 })])).built;
    for (let n = 0; n < 20; n += 1) {
      const [writer, reader] = n % 2 === 0 ? [first, second] : [second, first];
      await writer.commit([insert(NS, n, { tags: ['a', 'b', `t${n}`] })]);
      expect(await reader.count(NS, MATCH_ALL)).toBe(n + 1);
      const filter = where('tags', { kind: 'in', values: ['a', 'b'] });
      expect(await reader.find(NS, query({ filter }))).toHaveLength(n + 1);
      expect(await reader.count(NS, filter)).toBe(n + 1);
    }
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? first : second).commit([insert(NS, 100 + n, {})])),
    );
    expect(await first.count(NS, MATCH_ALL)).toBe(80);
    expect(
      await second.find(NS, query({ filter: where('_id', { kind: 'eq', value: idOf(159) }) })),
    ).toHaveLength(1);
  });
});
