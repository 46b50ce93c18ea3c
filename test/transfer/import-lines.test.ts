import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseImportEntry, splitLines } from '../../src/transfer/import-lines.ts';
import { idOf } from '../contracts/store-cases.ts';

const SITE = { separateDatabases: false, idFields: () => new Set(['author']) };

const line = (text: string | Uint8Array, ended = true) => ({ number: 7, bytes: Buffer.from(text), ended });
const entry = (document: unknown, more = {}) =>
  line(JSON.stringify({ database: null, collection: 'books', document, ...more }));

describe('an import entry', () => {
  it('reads a document and where it belongs', () => {
    const document = { _id: idOf(1), title: 'Emma', v: 2 };
    const read = parseImportEntry(entry(document, { database: 'library' }), {
      ...SITE,
      separateDatabases: true,
    });
    expect(read).toMatchObject({
      place: 'line 7',
      ns: { database: 'library', collection: 'books' },
      document,
    });
    expect(read.text).toBe(`{"title":"Emma","v":2,"_id":"${idOf(1)}"}`);
    expect(Object.keys(read.document).at(-1)).toBe('_id');
  });

  it('writes ids in lower case, where a field holds ids, and no other text', () => {
    const [lower, upper] = ['5656ff55447fe38d129a5767', '5656FF55447FE38D129A5767'];
    const document = { _id: upper, author: [upper, null, 'X'], serial: upper };
    const expected = { _id: lower, author: [lower, null, 'X'], serial: upper };
    expect(parseImportEntry(entry(document), SITE)).toMatchObject({
      document: expected,
      text: JSON.stringify({ author: expected.author, serial: upper, _id: lower }),
    });
    expect(parseImportEntry(entry({ _id: 'ISBN', author: upper }), SITE).document).toEqual({
      _id: 'ISBN',
      author: lower,
    });
  });

  it('takes members in any order, blanks, a byte order mark and other ids', () => {
    const text = '\ufeff { "document" : {"_id":"isbn-1"}, "collection":"books","database":null }\r';
    expect(parseImportEntry(line(text), SITE).document).toEqual({ _id: 'isbn-1' });
  });

  it.each([
    ['{"a"', 'is not valid JSON: column 5'],
    ['x', 'is not valid JSON: column 1: expected a value'],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'is not valid UTF-8'],
    ['[1]', 'must be {"database"'],
    ['null', 'must be {"database"'],
    ['{}', 'must be {"database"'],
    ['{"collection":"books","document":{"_id":"a"}}', 'must be {"database"'],
    ['{"database":1,"collection":"books","document":{"_id":"a"}}', 'must be {"database"'],
    ['{"database":null,"collection":["books"],"document":{"_id":"a"}}', 'must be {"database"'],
    ['{"database":null,"collection":"books","document":[]}', 'must be {"database"'],
    ['{"database":null,"collection":"books","document":{"_id":"a"},"more":1}', 'must be {"database"'],
    ['{"__proto__":{"database":null,"collection":"books","document":{"_id":"a"}}}', 'must be {"database"'],
    ['{"database":null,"collection":"cloister.clients","document":{"_id":"a"}}', 'are reserved'],
    [
      '{"database":"library","collection":"books","document":{"_id":"a"}}',
      'enableCollectionDatabases` is off',
    ],
    [`${'['.repeat(200_000)}`, 'is nested deeper than 101 levels'],
  ])('refuses %j', (text, message) => {
    expect(() => parseImportEntry(line(text), SITE)).toThrow(`line 7: `);
    expect(() => parseImportEntry(line(text), SITE)).toThrow(message);
  });

  it.each([
    ['{}', '`document._id` must be text'],
    ['{"_id":""}', '`document._id` must be text'],
    ['{"_id":5}', '`document._id` must be text'],
    ['{"_id":{"$oid":"a"}}', '`document._id` must be text'],
    ['{"_id":"a","__proto__":{}}', '`document.__proto__` is a reserved name'],
    ['{"_id":"a","x":{"y":["\\ud800"]}}', '`document.x.y.0` holds a lone surrogate'],
    ['{"_id":"a","x":[9007199254740993]}', '`document.x.0` 9007199254740993 cannot be held exactly'],
    ['{"_id":"a","x":1e999}', '`document.x` is not a finite number'],
    ['{"_id":"a","x\\u0000":1}', 'has NUL in its name'],
  ])('refuses the document %s', (document, message) => {
    const text = `{"database":null,"collection":"books","document":${document}}`;
    expect(() => parseImportEntry(line(text), SITE)).toThrow(
      `line 7: ${message.startsWith('`') ? message : ''}`,
    );
    expect(() => parseImportEntry(line(text), SITE)).toThrow(message);
  });

  it('tells a cut file from broken JSON', () => {
    expect(() => parseImportEntry(line('{"database":null,"col', false), SITE)).toThrow(
      'line 7: is not complete: the file ends within it',
    );
  });

  it('bounds a document as the server does', () => {
    const most = 16 * 1024 * 1024 - 100;
    expect(parseImportEntry(entry({ _id: 'a', text: 'x'.repeat(most) }), SITE).document._id).toBe('a');
    expect(() => parseImportEntry(entry({ _id: 'a', text: 'x'.repeat(most + 100) }), SITE)).toThrow(
      'line 7: the document is larger than 16 MB',
    );
  });

  it('takes a document as deep as documents may be', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 98; depth += 1) value = [value];
    expect(parseImportEntry(entry({ _id: 'a', value }), SITE).document._id).toBe('a');
    expect(() => parseImportEntry(entry({ _id: 'a', value: [[value]] }), SITE)).toThrow('nested deeper');
  });
});

async function* source(chunks: readonly (string | Uint8Array)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function read(chunks: readonly (string | Uint8Array)[], maxBytes = 1000) {
  const lines: [number, string, boolean][] = [];
  for await (const { number, bytes, ended } of splitLines(source(chunks), maxBytes)) {
    lines.push([number, Buffer.from(bytes).toString(), ended]);
  }
  return lines;
}

describe('the line splitter', () => {
  it('ends lines at line feeds only', async () => {
    expect(await read(['a\nb\r\u2028\u0085c\n\n', 'd'])).toEqual([
      [1, 'a', true],
      [2, 'b\r\u2028\u0085c', true],
      [3, '', true],
      [4, 'd', false],
    ]);
    expect(await read([])).toEqual([]);
    expect(await read(['a\n'])).toEqual([[1, 'a', true]]);
  });

  it('does not mind where the chunks end', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '😀', '"') });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (whole, size) => {
        const bytes = Buffer.from(whole);
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        expect(await read(chunks)).toEqual(await read([whole]));
      }),
    );
  });

  it('bounds a line before it is all there', async () => {
    let given = 0;
    const endless = async function* () {
      for (;;) {
        given += 1;
        yield Buffer.alloc(100, 'x');
      }
    };
    const drain = async () => {
      for await (const _ of splitLines(endless(), 1000));
    };
    await expect(drain()).rejects.toThrow('line 1: is longer than 1000 bytes');
    expect(given).toBe(11);
    await expect(read([`ok\n${'x'.repeat(1001)}\n`])).rejects.toThrow('line 2: is longer');
    expect(await read([`${'x'.repeat(1000)}\n`])).toHaveLength(1);
  });
});
