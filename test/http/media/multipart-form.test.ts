import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  acceptMultipart,
  isMultipartForm,
  parseExtendedFilename,
  parseMultipartForm,
} from '../../../src/http/media/multipart-form.ts';
import { BOUNDARY, FORM_TYPE, formOf, type Part } from '../../helpers/app/media-server.ts';
import { sendRaw } from '../../helpers/server-process/client.ts';
import { type BareServer, bareServer } from '../bare-fastify-server.ts';

const MOST = { maxFileBytes: 1000, maxParts: 5 };
const FILE: Part = { fileName: 'a.txt', type: 'text/plain', body: 'hello' };

let bare: BareServer;
let url: string;
const clock = new AbortController();
beforeAll(async () => {
  bare = bareServer((server) => {
    acceptMultipart(server);
    const read =
      (signal = new AbortController().signal, bounds = MOST) =>
      async (request: Parameters<typeof parseMultipartForm>[0]) => {
        const parts = [];
        for await (const part of parseMultipartForm(request, { ...bounds, signal })) {
          if (part.kind === 'field') parts.push(part);
          else {
            const { bytes, ...rest } = part;
            const chunks = [];
            for await (const chunk of bytes) chunks.push(chunk);
            parts.push({ ...rest, text: Buffer.concat(chunks).toString() });
          }
        }
        return parts;
      };
    server.post('/', read());
    server.post('/large', read(undefined, { maxFileBytes: 10_000_000, maxParts: 5 }));
    server.post('/slow', read(clock.signal));
    server.post('/first', async (request) => {
      for await (const part of parseMultipartForm(request, { ...MOST, signal: new AbortController().signal }))
        return { kind: part.kind };
      return {};
    });
  });
  url = await bare.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => bare.server.close());

async function send(body: Uint8Array, path = '/', type = FORM_TYPE) {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': type },
    body: new Uint8Array(body),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

const messageOf = ({ body }: { body: { errors: { message: string }[] } }) => body.errors[0]?.message;

describe('a form', () => {
  it('is read part by part', async () => {
    const { status, body } = await send(
      formOf([
        { name: 'é', body: 'ü\r\n' },
        FILE,
        { ...FILE, fileName: 'b', body: '' },
        {
          headers: 'Content-Disposition: form-data; name=x\r\nContent-Type: application/octet-stream',
          body: '1',
        },
      ]),
    );
    expect([status, body]).toEqual([
      200,
      [
        { kind: 'field', name: 'é', value: 'ü\r\n' },
        { kind: 'file', fileName: 'a.txt', mimetype: 'text/plain', text: 'hello' },
        { kind: 'file', fileName: 'b', mimetype: 'text/plain', text: '' },
        { kind: 'file', fileName: '', mimetype: 'application/octet-stream', text: '1' },
      ],
    ]);
  });

  it('may have files of every type, saved pages among them, whose boundaries are their own', async () => {
    const page = `--inner\r\nContent-Type: text/html\r\n\r\n<p>\r\n--inner--\r\n`;
    const types = ['multipart/related; boundary=inner', 'multipart/mixed', 'multipart/form-data; boundary=x'];
    const { status, body } = await send(formOf(types.map((type) => ({ ...FILE, type, body: page }))));
    expect(status).toBe(200);
    expect(body.map(({ kind, text }: { kind: string; text: string }) => [kind, text])).toEqual(
      types.map(() => ['file', page]),
    );
  });

  it('skips empty file inputs', async () => {
    const headers =
      'Content-Disposition: form-data; name=x; filename=""\r\nContent-Type: application/octet-stream';
    const { status, body } = await send(formOf([{ headers, body: '' }, FILE, { headers, body: '22' }]));
    expect([status, body]).toEqual([
      200,
      [
        { kind: 'file', fileName: 'a.txt', mimetype: 'text/plain', text: 'hello' },
        { kind: 'file', fileName: '', mimetype: 'application/octet-stream', text: '22' },
      ],
    ]);
  });

  it('is read to its end, whatever surrounds it and however it is cut into chunks', async () => {
    const form = Buffer.concat([Buffer.from('preamble\r\n'), formOf([FILE]), Buffer.alloc(100_000, 'x')]);
    const answers = await Promise.all([1, 7, 60].map((length) => sendInPieces(form, length)));
    for (const answer of answers) expect(answer).toContain('"text":"hello"');
  });

  it('can contain text that looks like a boundary', async () => {
    const text = `\r\n--${BOUNDARY.slice(1)}\r\n--${BOUNDARY}x`.slice(0, -BOUNDARY.length - 3);
    const { body } = await send(formOf([{ ...FILE, body: text }]));
    expect(body[0].text).toBe(text);
  });

  it.each([1, 3, 400])('names a file in every language, in pieces of %i bytes', async (length) => {
    const headers = `Content-Disposition: form-data; name=f; filename="a.txt"; filename*=UTF-8''na%C3%AFve.txt`;
    const answer = await sendInPieces(formOf([{ headers, body: 'x' }]), length);
    expect(answer).toContain('"fileName":"naïve.txt"');
  });

  it('is recognised by its content type', () => {
    for (const type of ['multipart/form-data; boundary=x', 'Multipart/Form-Data']) {
      expect(isMultipartForm({ headers: { 'content-type': type } })).toBe(true);
    }
    for (const type of ['multipart/form-datax', 'multipart/mixed', 'application/json', undefined]) {
      expect(isMultipartForm({ headers: { 'content-type': type } })).toBe(false);
    }
  });
});

describe('a form is rejected', () => {
  it.each<[string, readonly Part[], number, RegExp]>([
    [
      'a file that is too long',
      [{ ...FILE, body: 'x'.repeat(1001) }],
      413,
      /1000 bytes \(`media.maxFileSize`/,
    ],
    ['too many parts', Array(6).fill(FILE), 400, /more than 5 parts \(`limits.formParts`/],
    ['too many fields', Array(6).fill({ name: 'a' }), 400, /more than 5 parts/],
    ['a field that is too long', [{ name: 'long', body: 'x'.repeat(1_048_577) }], 400, /`long` has more/],
    ['a field that is no UTF-8', [{ name: 'a', body: Buffer.from([0xff]) }], 400, /UTF-8/],
    ['a field with a long name', [{ name: 'n'.repeat(201) }], 400, /name/],
    ['a field without a name', [{ headers: 'Content-Disposition: form-data' }], 400, /name/],
    ['a form in the form', [{ name: 'a', type: 'multipart/mixed; boundary=y' }], 400, /form itself/],
    ['a part without headers', [FILE, { headers: 'x' }], 400, /headers of a part/],
    [
      'a part that is no form data',
      [FILE, { headers: 'Content-Disposition: attachment; filename=x' }],
      400,
      /headers/,
    ],
    [
      'headers that are too long',
      [{ headers: `X: ${'x'.repeat(90_000)}\r\nContent-Disposition: form-data; name=a` }, FILE],
      400,
      /headers/,
    ],
    ['a boundary in the content', [{ ...FILE, body: `a\r\n--${BOUNDARY}\r\nb` }], 400, /headers of a part/],
    ['a name of a prototype', [{ ...FILE, name: '__proto__' }], 400, /name that is not allowed/],
  ])('for %s', async (_what, parts, status, message) => {
    const answer = await send(formOf(parts));
    expect([answer.status, messageOf(answer)]).toEqual([status, expect.stringMatching(message)]);
  });

  it.each([
    ['no boundary in the type', 'multipart/form-data', /no boundary/],
    ['another boundary in the type', 'multipart/form-data; boundary=other', /last boundary/],
    ['a boundary that is too long', `multipart/form-data; boundary=${'b'.repeat(71)}`, /no boundary/],
  ])('for %s', async (_what, type, message) => {
    const answer = await send(formOf([FILE]), '/', type);
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringMatching(message)]);
  });

  it('for any end before the last boundary', async () => {
    const form = formOf([{ name: 'a', body: 'b' }, FILE]);
    for (let length = 1; length < form.length - 4; length += 1) {
      const answer = await send(form.subarray(0, length));
      expect([length, answer.status]).toEqual([length, 400]);
    }
  });

  it('for taking too long', async () => {
    const half = formOf([FILE]).subarray(0, -50);
    const answer = sendRaw(url, `${headOf('/slow', half.length + 1000)}${half.toString('latin1')}`);
    await once(bare.server.server, 'request');
    clock.abort();
    expect(await answer).toMatch(/^HTTP\/1.1 408 .*"statusCode":408/s);
  });
});

it('and does not hang where its rest is not read', async () => {
  const answer = await send(formOf([{ name: 'a' }, FILE, FILE]), '/first');
  expect(answer).toEqual({ status: 200, body: { kind: 'field' } });
});

function headOf(path: string, length: number): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `Content-Type: ${FORM_TYPE}`,
    `Content-Length: ${length}`,
  ];
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`;
}

async function sendInPieces(body: Buffer, length: number): Promise<string> {
  const socket = connect((bare.server.server.address() as AddressInfo).port, '127.0.0.1').setNoDelay();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(headOf('/large', body.length));
  for (let at = 0; at < Math.min(body.length, 400); at += length) {
    socket.write(body.subarray(at, Math.min(at + length, 400)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.write(body.subarray(400));
  await once(socket, 'close');
  return text;
}
const named = (parameters: string) =>
  `\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; ${parameters}`;

it.each([
  [`name="f"; filename="a.txt"; filename*=UTF-8''na%C3%AFve.txt`, 'naïve.txt'],
  [`name="f"; filename*=utf-8'en'a%20b.txt; filename="a.txt"`, 'a b.txt'],
  [`filename*=iso-8859-1''%A3.txt`, '£.txt'],
  [`filename* = UTF-8''..%2Fx%0D%0A`, '../x\r\n'],
])('the extended name in %j is %j', (parameters, name) => {
  expect(parseExtendedFilename(named(parameters))).toBe(name);
});

it.each([
  'name="f"; filename="a.txt"',
  `filename*=UTF-8''`,
  `filename*=UTF-8''%ff%fe`,
  `filename*=klingon''a.txt`,
  'filename*=a.txt',
  `name="a; filename*=UTF-8''b.txt"`,
  `name="a\\"; filename*=UTF-8''b.txt"`,
])('%j has no extended name that can be read', (parameters) => {
  expect(parseExtendedFilename(named(parameters))).toBeUndefined();
});

it('no other header has an extended name', () => {
  expect(
    parseExtendedFilename(`\r\nX-Content-Disposition: form-data; filename*=UTF-8''b.txt`),
  ).toBeUndefined();
});
