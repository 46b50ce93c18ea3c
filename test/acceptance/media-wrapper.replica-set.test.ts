// The official client of the dialect, unmodified, with media: buckets, signed URLs, and the upload behind them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { officialClient, type Untyped } from '../helpers/server-process/official-client.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';

type Any = Untyped;

const MEDIA = { fields: { caption: {} }, settings: { type: 'media' } };
const FILE = { fileName: 'test.jpg', mimetype: 'image/jpeg' };

let app: TestApp;
let url: URL;
let api: ReturnType<typeof officialClient>;

beforeAll(async () => {
  app = await startApp({ specs: { '1.0/library/images': MEDIA }, config: { feedback: false } });
  url = new URL(await app.listen());
  api = officialClient(url);
});

afterAll(() => app.close());

/** Uploads as a browser does that was given nothing but the URL. */
async function send(path: string, name = 'test.jpg', type = 'image/jpeg'): Promise<Response> {
  const form = new FormData();
  form.set('file', new File(['bytes'], name, { type }));
  return fetch(new URL(path, url), { method: 'POST', body: form });
}

beforeEach(async () => {
  await api()
    .in('images')
    .where({ _id: { $ne: null } })
    .delete();
});

describe('getSignedUrl', () => {
  it.each<[string, (client: Any) => Any, RegExp]>([
    ['of a bucket', (client) => client.inMedia('images'), /^\/media\/images\/[\w-]+\.[\w-]+\.[\w-]+$/],
    ['of no bucket', (client) => client.inMedia(), /^\/media\/[\w-]+\.[\w-]+\.[\w-]+$/],
    ['of a collection', (client) => client.in('images'), /^\/1\.0\/library\/images\/[\w-]+\.[\w-]+\.[\w-]+$/],
  ])('%s takes the file, once', async (_name, choose, form) => {
    const { url: signed, expiresAt } = await choose(api()).getSignedUrl({ ...FILE, expiresIn: '2 days' });
    expect(signed).toMatch(form);
    expect(expiresAt).toBeGreaterThan(Date.now() + 172_700_000);
    expect((await send(signed, 'other.jpg')).status).toBe(400);
    const stored = await send(signed);
    expect(stored.status).toBe(201);
    const { results }: Any = await stored.json();
    expect(results).toEqual([expect.objectContaining({ createdBy: ADMIN.clientId, contentLength: 5 })]);
    const again: Any = await (await send(signed)).json();
    expect([again.statusCode, again.name]).toEqual([400, 'TokenUsedError']);
  });

  it('rejects with the envelope', async () => {
    const refused = await api()
      .inMedia('images')
      .getSignedUrl({ fileName: 'test.jpg', expiresIn: 0 })
      .catch((error: Any) => error);
    expect(refused.statusCode).toBe(400);
    expect(refused.error.errors.map(({ field }: Any) => field)).toEqual(['expiresIn']);
  });
});

describe('a bucket', () => {
  const bucket = () => api().inMedia('images');
  const names = (found: Any) => found.results.map(({ originalFileName }: Any) => originalFileName).sort();

  beforeEach(async () => {
    for (const fileName of ['a.jpg', 'b.png']) {
      // As in the client's own documentation.
      const { url: signed } = await bucket().getSignedUrl({ fileName });
      expect((await send(signed, fileName)).status).toBe(201);
    }
  });

  it('lists its records, filtered, sorted, counted, as does the only one without a name', async () => {
    expect(names(await bucket().find())).toEqual(['a.jpg', 'b.png']);
    expect(names(await api().inMedia().find())).toEqual(['a.jpg', 'b.png']);
    const png = bucket().whereFieldEndsWith('originalFileName', 'png');
    expect(names(await png.find())).toEqual(['b.png']);
    const { metadata } = await bucket().find({ extractMetadata: true });
    expect(metadata.totalCount).toBe(2);
    expect((await bucket().getStats()).count).toBe(2);
  });

  it('has its bytes below the bucket too', async () => {
    const [{ path, _id }] = (await bucket().sortBy('originalFileName').find()).results;
    const below = path.slice(path.indexOf('images/') + 'images/'.length);
    const headers = { authorization: `Bearer ${await app.adminToken()}` };
    for (const address of [`/media/images/${below}`, `/media/${below}`, `/media/images/${_id}/file`]) {
      const answer = await fetch(new URL(address, url), { headers });
      expect([address, answer.status, await answer.text()]).toEqual([address, 200, 'bytes']);
      expect((await fetch(new URL(address, url))).status).toBe(401);
    }
  });

  it('changes and deletes records', async () => {
    const changed = await bucket().whereFieldIsEqualTo('originalFileName', 'a.jpg').update({ caption: 'A' });
    expect(changed.results).toEqual([expect.objectContaining({ caption: 'A', originalFileName: 'a.jpg' })]);
    await bucket().whereFieldIsEqualTo('originalFileName', 'a.jpg').delete();
    expect(names(await bucket().find())).toEqual(['b.png']);
  });

  it('that does not exist is 404', async () => {
    const refused = await api()
      .inMedia('nothing')
      .find()
      .catch((error: Any) => error);
    expect(refused.statusCode).toBe(404);
  });
});
