import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportSite } from '../../src/cli/transfer.ts';
import { startApp } from '../helpers/app/app.ts';
import { book, LIBRARY } from '../helpers/fixtures/library.ts';
import { captureIo, createTestStreams, type TestStreams } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const BOOKS = 250;
/** Each keeps its revision. */
const DOCUMENTS = BOOKS * 2;

let workspace: Workspace;
beforeAll(async () => {
  workspace = createWorkspace(LIBRARY);
  const app = await startApp({ workspace });
  const body = Array.from({ length: BOOKS }, (_, n) => book(n));
  await app.inject('POST', '/1.0/library/books', { body });
  await app.close();
});
beforeEach(() => {
  for (const name of names()) rmSync(join(workspace.cwd, name));
});
afterAll(() => workspace.remove());

async function run(file: string, host: TestStreams = createTestStreams()) {
  const io = captureIo(workspace.cwd);
  const code = await exportSite({ file }, io, host);
  return { code, said: io.complained, printed: io.printed, host };
}

const names = () => readdirSync(workspace.cwd).filter((name) => name.includes('jsonl'));

describe('the export command', () => {
  it('writes every document and revision into a file, and nothing of the server', async () => {
    const { code, said, printed } = await run('site.jsonl');
    expect([code, said, printed]).toEqual([0, ['exported 500 documents of 2 collections'], []]);
    const lines = readFileSync(join(workspace.cwd, 'site.jsonl'), 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(DOCUMENTS);
    const collections = lines.map((line) => JSON.parse(line).collection);
    expect([...new Set(collections)]).toEqual(['books', 'booksHistory']);
  });

  it('writes the same to the standard output, and nothing else', async () => {
    await run('site.jsonl');
    const { code, host, printed, said } = await run('-');
    expect([code, printed, said]).toEqual([0, [], ['exported 500 documents of 2 collections']]);
    expect(host.output()).toBe(readFileSync(join(workspace.cwd, 'site.jsonl'), 'utf8'));
  });

  it('shows a bar on a terminal', async () => {
    const { host, said } = await run('site.jsonl', createTestStreams('', { terminal: true }));
    expect(host.drawn()).toContain('100% | 500 documents');
    expect(said).toEqual(['exported 500 documents of 2 collections']);
  });

  it('leaves no file when it fails, and the old one as it was', async () => {
    const host = createTestStreams();
    writeFileSync(join(workspace.cwd, 'site.jsonl'), 'old');
    const running = run('site.jsonl', host);
    host.emit('SIGTERM');
    const { code, said } = await running;
    expect([code, said]).toEqual([1, ['cloister: export: stopped']]);
    expect(names()).toEqual(['site.jsonl']);
    expect(readFileSync(join(workspace.cwd, 'site.jsonl'), 'utf8')).toBe('old');
  });

  it('waits for a slow reader and ends with one that goes', async () => {
    let waiting = 0;
    let most = 0;
    const stdout = new Writable({
      write(_chunk, _encoding, done) {
        waiting += 1;
        most = Math.max(most, waiting);
        setImmediate(() => {
          waiting -= 1;
          done();
        });
      },
    });
    expect((await run('-', { ...createTestStreams(), stdout })).code).toBe(0);
    expect(most).toBe(1);
    const gone = new Writable({
      write: (_chunk, _encoding, done) =>
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })),
    }).on('error', () => undefined);
    const { code, said } = await run('-', { ...createTestStreams(), stdout: gone });
    expect([code, said]).toEqual([1, ['cloister: export: the reader of the output has gone']]);
  });

  it.each([
    ['nowhere/site.jsonl', /^cloister: export: ENOENT: /],
    ['.', /^cloister: export: EISDIR: /],
    ['/dev/full', /^cloister: export: ENOSPC: /],
  ])('says in one line why it cannot write %s', async (file, message) => {
    const { code, said } = await run(file);
    expect([code, said]).toEqual([1, [expect.stringMatching(message)]]);
  });

  it('says what is left out', async () => {
    const io = captureIo(workspace.cwd, { CLOISTER_DATABASE_ENABLE_COLLECTION_DATABASES: 'true' });
    expect(await exportSite({ file: '-' }, io, createTestStreams())).toBe(0);
    expect(io.complained).toEqual([
      expect.stringMatching(/^books is left out: it has no database, but /),
      expect.stringMatching(/^booksHistory is left out: it has no database, but /),
      'exported 0 documents of 0 collections',
    ]);
  });
});
