// Uploads over a real socket: what is stored, what is refused, and that nothing is left of what was refused.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MediaServer, PICTURES, startMediaServer } from '../helpers/app/media-server.ts';

const FILE = { fileName: 'a.txt', type: 'text/plain', body: 'hello' };

let server: MediaServer;
beforeAll(async () => {
  server = await startMediaServer({ publicUrl: 'https://media.example.org/' });
});
afterAll(() => server.close());

const stored = (path: string) => readFileSync(join(server.workspace.path, 'media', path));
const today = () => new Date().toISOString().slice(0, 10).replaceAll('-', '/');
const total = async () => (await server.inject('GET', `${PICTURES}/count`)).body.metadata.totalCount;

/** Expects a refusal that leaves neither record nor file. */
async function refusedWithoutTrace(work: () => Promise<{ status: number; body: unknown }>, status: number) {
  const before = [server.files(), await total()];
  const answer = await work();
  expect(answer).toMatchObject({ status, body: { statusCode: status, success: false } });
  expect([server.files(), await total()]).toEqual(before);
  return answer as { body: { errors: { field?: string; message: string }[] } };
}

describe('an upload', () => {
  it('is answered with 201 and the record, and its bytes are stored', async () => {
    const { status, body } = await server.upload([{ ...FILE, fileName: 'ünï b&c.txt', name: 'whatever' }]);
    expect(status).toBe(201);
    const path = `1.0/library/pictures/${today()}/ünï b&c.txt`;
    expect(body).toEqual({
      results: [
        {
          _id: expect.stringMatching(/^[0-9a-f]{24}$/),
          fileName: 'ünï b&c.txt',
          originalFileName: 'ünï b&c.txt',
          mimetype: 'text/plain',
          path,
          contentLength: 5,
          url: `https://media.example.org/1.0/library/pictures/${today()}/%C3%BCn%C3%AF%20b%26c.txt`,
          apiVersion: '1.0',
          createdAt: expect.any(Number),
          createdBy: 'admin',
          v: 1,
        },
      ],
    });
    expect(stored(path).toString()).toBe('hello');
    const { _id } = body.results[0];
    expect((await server.inject('GET', `${PICTURES}/${_id}`)).body.results).toEqual(body.results);
    expect((await server.inject('GET', `${PICTURES}/${_id}/file`)).text).toBe('hello');
  });

  it('of an image has its dimensions, by the bytes and not by the name', async () => {
    const gif = Buffer.from('R0lGODlhAgADAIAAAAAAAP///yH5BAAAAAAALAAAAAACAAMAAAICRF4AOw==', 'base64');
    const { body } = await server.upload([{ ...FILE, fileName: 'a.txt', body: gif }]);
    expect(body.results[0]).toMatchObject({ width: 2, height: 3, mimetype: 'text/plain' });
    const lying = await server.upload([{ fileName: 'b.gif', type: 'image/gif', body: 'GIF89a' }]);
    expect(lying.body.results[0]).not.toHaveProperty('width');
  });

  it('of several files has several records, in order, with the fields of the form, wherever they stand', async () => {
    const { status, body } = await server.upload([
      { name: 'caption', body: 'Hé' },
      { ...FILE, fileName: 'one.txt', body: '1' },
      { name: 'stars', body: '-1.5e1' },
      { name: 'public', body: 'true' },
      { ...FILE, fileName: 'two.txt', body: '22' },
      { name: 'tags', body: '["x",{"y":null}]' },
      { name: 'size', body: '{"a":1}' },
      { name: 'taken', body: '2024-02-29' },
      { name: 'album', body: 'ABCDEF0123456789abcdef01' },
      { name: 'related', body: '["abcdef0123456789abcdef01"]' },
      { name: 'undeclared', body: 'x' },
      { name: 'path', body: '../../etc/passwd' },
      { name: 'width', body: 'not a number' },
      { name: 'v', body: '7' },
    ]);
    expect(status).toBe(201);
    const fields = {
      caption: 'Hé',
      stars: -15,
      public: true,
      tags: ['x', { y: null }],
      size: { a: 1 },
      taken: '2024-02-29T00:00:00.000Z',
      album: 'abcdef0123456789abcdef01',
      related: ['abcdef0123456789abcdef01'],
      v: 1,
    };
    expect(body.results).toMatchObject([
      { fileName: 'one.txt', contentLength: 1, ...fields },
      { fileName: 'two.txt', contentLength: 2, ...fields },
    ]);
    for (const result of body.results) {
      expect(result).not.toHaveProperty('undeclared');
      expect(result).not.toHaveProperty('width');
      expect(result.path).toMatch(/^1\.0\/library\/pictures\/\d{4}\//);
    }
  });

  it('of no bytes is stored', async () => {
    const { status, body } = await server.upload([{ ...FILE, fileName: 'empty', body: '' }]);
    expect([status, body.results[0].contentLength]).toEqual([201, 0]);
    expect(stored(body.results[0].path)).toHaveLength(0);
  });

  it('with a name that is taken gets the time as a suffix, also at the same moment', async () => {
    const uploads = Array.from({ length: 10 }, (_, n) =>
      server.upload([{ ...FILE, fileName: 'same.png', body: `${n}` }]),
    );
    const paths = (await Promise.all(uploads)).map(({ body }) => body.results[0].path as string);
    expect(new Set(paths).size).toBe(10);
    expect(paths.filter((path) => path.endsWith('/same.png'))).toHaveLength(1);
    expect(paths.filter((path) => /\/same-\d{13}\.png$/.test(path))).toHaveLength(9);
    expect(paths.map((path) => stored(path).toString())).toEqual([...'0123456789']);
  });

  it.each([
    ['filename="C:\\x\\y.png"', 'y.png', 'C:\\x\\y.png'],
    ['filename="../../x"', 'x', '../../x'],
    ['filename="a \\"b\\".txt"', 'a _b_.txt', 'a "b".txt'],
    ["filename*=UTF-8''%e2%82%ac%20rates.txt", '€ rates.txt', '€ rates.txt'],
    ['filename=""', 'file', ''],
    ['filename="con.txt"', 'con_.txt', 'con.txt'],
    ['filename="count"', 'count_', 'count'],
  ])('with %s is stored under a safe name', async (disposition, fileName, originalFileName) => {
    const headers = `Content-Disposition: form-data; name="f"; ${disposition}\r\nContent-Type: text/plain`;
    const { body } = await server.upload([{ headers, body: 'x' }]);
    expect(body.results[0]).toMatchObject({ originalFileName });
    const { stem, extension } = /^(?<stem>.*?)(?<extension>\.[a-z]+)?$/.exec(fileName)?.groups ?? {};
    expect(body.results[0].fileName.replace(/-\d{13}/, '')).toBe(`${stem}${extension ?? ''}`);
  });

  it('keeps a type that is none as unknown', async () => {
    const types = await Promise.all(
      ['IMAGE/PNG', 'text/plain; charset=latin1', 'garbage', 'a/b/c'].map(async (type) => {
        const { body } = await server.upload([{ ...FILE, type }]);
        return body.results[0].mimetype;
      }),
    );
    const unknown = 'application/octet-stream';
    expect(types).toEqual(['image/png', 'text/plain', unknown, unknown]);
  });
});

describe('a form that is refused leaves nothing:', () => {
  it.each([
    ['stars', 'five'],
    ['stars', '0x10'],
    ['stars', ''],
    ['public', 'yes'],
    ['tags', '{'],
    ['size', '"text"'],
    ['size', `${'['.repeat(200)}${']'.repeat(200)}`],
    ['taken', 'yesterday'],
    ['album', 'x'],
    ['related', '[1]'],
    ['caption', 'x'.repeat(101)],
  ])('a field %s that is %j', async (name, body) => {
    const { body: answer } = await refusedWithoutTrace(
      () => server.upload([FILE, FILE, { name, body }]),
      400,
    );
    expect(answer.errors[0]?.field).toBe(name);
  });

  it('a field that is sent twice', async () => {
    const stars = { name: 'stars', body: '1' };
    const { body } = await refusedWithoutTrace(() => server.upload([FILE, stars, stars]), 400);
    expect(body.errors).toMatchObject([{ field: 'stars' }]);
  });

  it('a form without a file, no form at all, and no body', async () => {
    const answers = [
      await refusedWithoutTrace(() => server.upload([{ name: 'caption', body: 'x' }]), 400),
      await refusedWithoutTrace(() => server.inject('POST', PICTURES, { body: { caption: 'x' } }), 400),
      await refusedWithoutTrace(() => server.inject('POST', PICTURES), 400),
    ];
    for (const { body } of answers.slice(0, 2)) {
      expect(body.errors).toMatchObject([{ field: 'file', message: 'must be specified' }]);
    }
  });

  it('a required field that is missing, and a unique one that is taken', async () => {
    const path = '/1.0/library/strict';
    const missing = await refusedWithoutTrace(() => server.upload([FILE], { path }), 400);
    expect(missing.body.errors[0]?.field).toBe('caption');
    const caption = { name: 'caption', body: 'only one' };
    expect((await server.upload([FILE, caption], { path })).status).toBe(201);
    const taken = await refusedWithoutTrace(() => server.upload([FILE, caption], { path }), 400);
    expect(taken.body.errors[0]?.field).toBe('caption');
    await refusedWithoutTrace(() => server.upload([FILE, FILE, { ...caption, body: 'two' }], { path }), 400);
  });

  it('a client that has not the right', async () => {
    const path = PICTURES;
    await refusedWithoutTrace(() => server.upload([FILE], { path, token: null }), 401);
    const token = await server.userToken('reader', { collections: [] });
    await refusedWithoutTrace(() => server.upload([FILE], { path, token }), 401);
  });

  it('a collection that is not of media', async () => {
    await refusedWithoutTrace(() => server.upload([FILE], { path: '/1.0/library/books' }), 415);
  });
});

describe('uploads that are switched off', () => {
  it('are 404', async () => {
    const off = await startMediaServer({ media: { enabled: false } });
    expect((await off.upload([FILE])).status).toBe(404);
    expect(off.files()).toEqual([]);
    await off.close();
  });
});
