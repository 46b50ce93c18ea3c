import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportSite, importSite } from '../../src/cli/transfer.ts';
import { captureIo, createTestStreams, type TestStreams } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.remove());

const line = (n: number, more: object = {}) =>
  JSON.stringify({
    database: null,
    collection: n % 2 === 0 ? 'books' : 'people',
    document: { n, v: 1, ...more, _id: n.toString(16).padStart(24, '0') },
  });
const linesUpTo = (count: number) => Array.from({ length: count }, (_, at) => line(at));
const textOf = (lines: readonly string[]) => lines.map((one) => `${one}\n`).join('');

const save = (text: string) => writeFileSync(join(workspace.cwd, 'site.jsonl'), text);

async function run(file = 'site.jsonl', host: TestStreams = createTestStreams()) {
  const io = captureIo(workspace.cwd);
  const code = await importSite({ file }, io, host);
  return { code, said: io.complained, printed: io.printed, host };
}

async function exported() {
  const host = createTestStreams();
  await exportSite({ file: '-' }, captureIo(workspace.cwd), host);
  return host.output();
}

describe('the import command', () => {
  it('takes a file, once and again', async () => {
    save(textOf(linesUpTo(1500)));
    expect(await run()).toMatchObject({
      code: 0,
      printed: [],
      said: ['imported 1,500 documents of 2 collections'],
    });
    const sorted = [...linesUpTo(1500)].sort((a, b) => (a < b ? -1 : 1));
    expect((await exported()).trimEnd().split('\n').sort()).toEqual(sorted);
    save(textOf([...linesUpTo(1500).slice(1), line(0, { n: 'other' })]));
    expect((await run()).said).toEqual([
      'imported 1,500 documents of 2 collections (1 replaced what was there, 1,499 were there already)',
    ]);
  });

  it('writes ids and references in lower case, as everything that looks for them does', async () => {
    workspace.remove();
    const fields = {
      serial: { type: 'String' },
      author: { type: 'Reference', settings: { collection: 'people' } },
    };
    workspace = createWorkspace({ '1.0/library/books': { fields, settings: { storeRevisions: true } } });
    const upper = '5656FF55447FE38D129A5767';
    const sent = [
      { collection: 'books', document: { _id: upper, author: upper, serial: upper, history: [upper] } },
      { collection: 'booksHistory', document: { _id: upper, originalDocumentId: upper, author: upper } },
      { collection: 'others', document: { _id: upper, author: upper } },
    ];
    save(textOf(sent.map((entry) => JSON.stringify({ database: null, ...entry }))));
    expect((await run()).code).toBe(0);
    const stored = (await exported()).trimEnd().split('\n');
    const lower = upper.toLowerCase();
    expect(stored.map((text) => JSON.parse(text).document)).toEqual([
      { author: lower, serial: upper, history: [lower], _id: lower },
      { originalDocumentId: lower, author: lower, _id: lower },
      { author: upper, _id: lower },
    ]);
  });

  it('takes the standard input', async () => {
    const { code, said } = await run('-', createTestStreams(textOf(linesUpTo(3))));
    expect([code, said]).toEqual([0, ['imported 3 documents of 2 collections']]);
  });

  it('shows a bar on a terminal, and the reason under it', async () => {
    save(`${textOf(linesUpTo(1200))}nonsense\n`);
    const { code, said, host } = await run('site.jsonl', createTestStreams('', { terminal: true }));
    expect(code).toBe(1);
    expect(host.drawn()).toMatch(/\d+% \| 1,200 documents/);
    expect(said).toEqual([
      'imported 1,200 documents of 2 collections, up to line 1200; the import may be repeated',
      'cloister: import: line 1201: is not valid JSON: column 1: expected a value',
    ]);
    expect((await exported()).split('\n')).toHaveLength(1201);
  });

  it('says only why where nothing was imported', async () => {
    save('nonsense\n');
    expect((await run()).said).toEqual([
      'cloister: import: line 1: is not valid JSON: column 1: expected a value',
    ]);
  });

  it.each([
    ['nowhere.jsonl', /^cloister: import: ENOENT: /],
    ['.', /^cloister: import: EISDIR: /],
  ])('says in one line why it cannot read %s', async (file, message) => {
    const { code, said } = await run(file);
    expect([code, said]).toEqual([1, [expect.stringMatching(message)]]);
  });

  it('stops at a signal, even while it waits for the standard input', async () => {
    const host = createTestStreams();
    const stdin = new Readable({ read: () => void host.emit('SIGINT') });
    const { code, said } = await run('-', { ...host, stdin });
    expect([code, said]).toEqual([1, ['cloister: import: stopped']]);
  });
});
