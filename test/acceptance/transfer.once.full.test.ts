// Moving a site: what readers see is the same behind it, however often the move was interrupted.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { openTransfer } from '../../src/setup/transfer.ts';
import { startApp } from '../helpers/app/app.ts';
import { exportWorkspace, fillSite, importWorkspace, readSite } from '../helpers/app/site.ts';
import { book, LIBRARY } from '../helpers/fixtures/library.ts';
import { spawnCommand } from '../helpers/server-process/server-process.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let source: Workspace;
let target: Workspace;
beforeEach(() => {
  source = createWorkspace(LIBRARY);
  target = createWorkspace(LIBRARY);
});
afterEach(() => {
  source.remove();
  target.remove();
});

const lineOf = (n: number, text: string) =>
  `${JSON.stringify({
    database: null,
    collection: 'books',
    document: { title: `Book ${n}`, text, history: [], v: 1, _id: n.toString(16).padStart(24, '0') },
  })}\n`;

/** Writes a file of lines without ever having them all in memory. */
async function writeLines(file: string, count: number, text: string): Promise<void> {
  const stream = createWriteStream(file);
  for (let n = 0; n < count; n += 1) {
    if (!stream.write(lineOf(n, text))) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}

/** Documents in the target. */
async function arrived(): Promise<number> {
  const { config } = await loadConfig({ flags: {}, env: {}, cwd: target.cwd });
  const transfer = await openTransfer(config, { cwd: target.cwd });
  try {
    return (await transfer.exporter.plan()).documents;
  } finally {
    await transfer.close();
  }
}

describe('a move', () => {
  it('keeps every document, id, reference and revision, and takes no clients along', async () => {
    await fillSite(source);
    const { output, said } = await exportWorkspace(source);
    expect(said).toBe('exported 150 documents of 3 collections');
    expect(output).not.toMatch(/cloister\.|secret/);
    expect((await importWorkspace(target, output)).said).toBe('imported 150 documents of 3 collections');
    expect(await readSite(target)).toEqual(await readSite(source));
    expect((await exportWorkspace(target)).output).toBe(output);
  });

  it('may go into a site that is in use, and there be repeated', async () => {
    await fillSite(source);
    const { output } = await exportWorkspace(source);
    const app = await startApp({ workspace: target });
    try {
      await importWorkspace(target, output);
      expect((await importWorkspace(target, output)).said).toContain('150 were there already');
      const { body } = await app.inject('GET', '/1.0/library/books/count');
      expect(body.metadata.totalCount).toBe(57);
      const made = await app.inject('POST', '/1.0/library/books', { body: book(1) });
      expect(made.status).toBe(200);
      await app.inject('DELETE', `/1.0/library/books/${made.body.results[0]._id}`);
    } finally {
      await app.close();
    }
    expect(await readSite(target)).toEqual(await readSite(source));
  });

  it('names the line that breaks a declared unique index', async () => {
    await readSite(target);
    const person = (n: number, email: string) => ({
      database: null,
      collection: 'people',
      document: { name: 'a', email, v: 1, _id: n.toString(16).padStart(24, '0') },
    });
    const lines = [person(1, 'a@example.org'), person(2, 'b@example.org'), person(3, 'a@example.org')];
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    await expect(importWorkspace(target, text)).rejects.toThrow(
      'cloister: import: line 3: another document has the same `email`, which must be unique',
    );
    expect(await arrived()).toBe(2);
  });

  it('goes on where SIGKILL ended it', async () => {
    const file = join(target.cwd, 'site.jsonl');
    await writeLines(file, 20_000, 'x'.repeat(300));
    // Half of the lines, through a pipe that stays open: it cannot be done before it is killed.
    execFileSync('mkfifo', [join(target.cwd, 'pipe')]);
    const { child, ended } = spawnCommand(['import', '--file', 'pipe'], { cwd: target.cwd });
    const pipe = createWriteStream(join(target.cwd, 'pipe')).on('error', () => undefined);
    for (let n = 0; n < 10_000; n += 1) pipe.write(lineOf(n, 'x'.repeat(300)));
    await expect.poll(arrived).toBeGreaterThan(0);
    child.kill('SIGKILL');
    expect((await ended).code).toBeNull();
    pipe.destroy();
    const again = await spawnCommand(['import', '--file', 'site.jsonl'], { cwd: target.cwd }).ended;
    expect(again.code).toBe(0);
    expect(again.said).toContain('imported 20,000 documents of 1 collection');
    expect((await exportWorkspace(target)).output).toBe(await readFile(file, 'utf8'));
  });

  it('leaves no half file when the export is asked to end', async () => {
    await writeFile(join(source.cwd, 'site.jsonl'), 'an older export');
    await importWorkspace(
      source,
      Array.from({ length: 3000 }, (_, n) => lineOf(n, 'x'.repeat(3000))).join(''),
    );
    const { child, ended } = spawnCommand(['export', '--file', 'site.jsonl'], { cwd: source.cwd });
    const partial = async () => (await readdir(source.cwd)).some((name) => name.includes('.partial-'));
    while (!(await partial()) && child.exitCode === null) await pause(1);
    child.kill('SIGINT');
    const { code, said } = await ended;
    const text = await readFile(join(source.cwd, 'site.jsonl'), 'utf8');
    expect(await partial()).toBe(false);
    // Whichever of the two was first.
    if (code === 0) expect(text.split('\n')).toHaveLength(3001);
    else expect([code, said, text]).toEqual([1, 'cloister: export: stopped\n', 'an older export']);
  });

  it('takes memory that does not grow with the site', async () => {
    const file = join(target.cwd, 'site.jsonl');
    // More text than the process may hold.
    const [count, text] = [10_000, 7000];
    await writeLines(file, count, 'x'.repeat(text));
    const env = { NODE_OPTIONS: '--max-old-space-size=64' };
    const options = { cwd: target.cwd, env };
    const imported = await spawnCommand(['import', '--file', 'site.jsonl'], options).ended;
    expect(imported).toMatchObject({
      code: 0,
      said: `imported ${count.toLocaleString('en')} documents of 1 collection\n`,
    });
    const exported = await spawnCommand(['export', '--file', 'again.jsonl'], options).ended;
    expect(exported).toMatchObject({
      code: 0,
      said: `exported ${count.toLocaleString('en')} documents of 1 collection\n`,
    });
    const [given, got] = await Promise.all([readFile(file), readFile(join(target.cwd, 'again.jsonl'))]);
    expect(given.equals(got)).toBe(true);
  });
});
