// Uploads and changes of their records by rules, on the state that the record would have.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { parsed, startApp, type TestApp } from '../helpers/app/app.ts';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import { filesBelow } from '../helpers/temp/folders.ts';

const PHOTOS = '/1.0/library/photos';
const SPECS = {
  '1.0/library/photos': {
    fields: {
      open: { type: 'Boolean' },
      caption: { type: 'String' },
      grade: { type: 'String', access: { write: ['editors'] } },
      secret: { type: 'String', access: { read: ['editors'] } },
    },
    settings: {
      type: 'media',
      access: {
        read: [{ to: 'clients', where: { open: true } }],
        create: [{ to: 'clients', where: { createdBy: { $caller: 'clientId' }, mimetype: 'text/plain' } }],
        update: [{ to: 'clients', where: { createdBy: { $caller: 'clientId' } } }],
      },
    },
  },
};

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp({ specs: SPECS });
  token = await app.userToken('ann', { actions: ['read', 'create', 'update'] });
});
afterAll(() => app.close());

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
type Found = any;

async function upload(fields: Readonly<Record<string, string>>, ...types: readonly string[]) {
  const parts = [
    ...Object.entries(fields).map(([name, body]) => ({ name, body })),
    ...types.map((type, at) => ({ fileName: `${at}.txt`, type, body: `bytes ${Math.random()}` })),
  ];
  const answer = await app.app.server.inject({
    method: 'POST',
    url: PHOTOS,
    headers: { 'content-type': FORM_TYPE, authorization: `Bearer ${token}` },
    payload: formOf(parts),
  });
  return { status: answer.statusCode, body: parsed(answer.body) as Found, text: answer.body };
}

const files = () => filesBelow(app.workspace.path).filter((path) => path.endsWith('.txt')).length;
const records = async (): Promise<readonly JsonObject[]> => (await app.inject('GET', PHOTOS)).body.results;

test('a record that the rules do not allow is not stored, and neither is a file of the upload', async () => {
  expect((await upload({ open: 'true' }, 'text/plain')).status).toBe(201);
  const before = [files(), (await records()).length];
  expect(before).toEqual([1, 1]);
  const wrong = await upload({ open: 'true' }, 'text/plain', 'image/png');
  expect([wrong.status, wrong.body.errors]).toEqual([
    403,
    [expect.objectContaining({ index: 1, code: 'NOT_PERMITTED' })],
  ]);
  const closed = await upload({ open: 'true', grade: 'A' }, 'text/plain');
  expect([closed.status, closed.body.errors[0].field]).toEqual([403, 'grade']);
  expect([files(), (await records()).length]).toEqual(before);
});

test('the answer to an upload shows what the caller may read', async () => {
  const shown = await upload({ open: 'true', secret: 'kept' }, 'text/plain');
  expect([shown.status, shown.body.results[0].originalFileName, shown.text.includes('kept')]).toEqual([
    201,
    '0.txt',
    false,
  ]);
  const hidden = await upload({ open: 'false' }, 'text/plain');
  expect([hidden.status, hidden.body.results]).toEqual([201, [{ _id: expect.any(String) }]]);
});

test('a record can be sent back as it was fetched, and what only editors may write in it is 403', async () => {
  const { body } = await upload({ open: 'true' }, 'text/plain');
  const [{ _id, ...fetched }] = body.results;
  await app.inject('PUT', `${PHOTOS}/${_id}`, { body: { grade: 'A' } });
  const put = (sent: JsonObject) => app.inject('PUT', `${PHOTOS}/${_id}`, { token, body: sent });
  expect((await put({ ...fetched, _id, grade: 'A', caption: 'new' })).body.results[0]).toMatchObject({
    caption: 'new',
    grade: 'A',
  });
  expect((await put({ grade: 'B' })).status).toBe(403);
});
