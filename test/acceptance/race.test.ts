// Requests that race on one document: none of them may lose another's update of `v`, or a revision.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InjectAnswer, startApp, type TestApp } from '../helpers/app/app.ts';
import { book } from '../helpers/fixtures/library.ts';

const BOOKS = '/1.0/library/books';
const RACERS = 20;
const ROUNDS = 10;

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.close());

async function create(): Promise<string> {
  const { status, body, text } = await app.inject('POST', BOOKS, { body: book(1, { notes: [] }) });
  expect(status, text).toBe(200);
  return body.results[0]._id;
}

async function expectWhole(id: string, writes: number): Promise<void> {
  const { body } = await app.inject('GET', `${BOOKS}/${id}`);
  const [document] = body.results;
  expect(document.v).toBe(writes);
  expect(document.history).toHaveLength(writes);
  expect(new Set(document.history).size).toBe(writes);

  const { body: past } = await app.inject('GET', `${BOOKS}/${id}/history?count=1000`);
  expect(past.results.map((revision: { _id: string }) => revision._id)).toEqual(document.history);
  expect(past.results.map((revision: { v: number }) => revision.v)).toEqual(
    Array.from({ length: writes }, (_, index) => index + 1),
  );
  expect(past.results.at(-1).pages).toBe(document.pages);
}

const race = (start: (racer: number) => Promise<InjectAnswer>) =>
  Promise.all(Array.from({ length: RACERS }, (_, racer) => start(racer)));

describe('racing on one document', () => {
  it('PUTs by id are all kept, each with its own v and revision', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await create();
      const answers = await race((racer) => app.inject('PUT', `${BOOKS}/${id}`, { body: { pages: racer } }));
      expect(answers.map(({ status }) => status)).toEqual(Array(RACERS).fill(200));
      const seen = answers.map(({ body }) => body.results[0].v).sort((a, b) => a - b);
      expect(seen).toEqual(Array.from({ length: RACERS }, (_, index) => index + 2));
      await expectWhole(id, RACERS + 1);
    }
  });

  it('PUTs by id and by query are all kept', async () => {
    const id = await create();
    const answers = await race((racer) =>
      racer % 2 === 0
        ? app.inject('PUT', `${BOOKS}/${id}`, { body: { pages: racer } })
        : app.inject('PUT', BOOKS, { body: { query: { _id: id }, update: { pages: racer } } }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(RACERS).fill(200));
    await expectWhole(id, RACERS + 1);
  });

  it('PUTs of different fields all take effect', async () => {
    const id = await create();
    const fields = [
      { pages: 7 },
      { inPrint: true },
      { tags: ['x'] },
      { notes: 'n' },
      { dimensions: { w: 1 } },
    ];
    await Promise.all(fields.map((body) => app.inject('PUT', `${BOOKS}/${id}`, { body })));
    const { body } = await app.inject('GET', `${BOOKS}/${id}`);
    expect(body.results[0]).toMatchObject(Object.assign({}, ...fields));
    await expectWhole(id, fields.length + 1);
  });

  it('of those who name one state with If-Match exactly one wins', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await create();
      const headers = { 'if-match': '1' };
      const answers = await race((racer) =>
        app.inject('PUT', `${BOOKS}/${id}`, { body: { pages: racer }, headers }),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(RACERS - 1).fill(412)]);
      await expectWhole(id, 2);
    }
  });

  it('a DELETE among PUTs leaves no half of either', async () => {
    const id = await create();
    const answers = await race((racer) =>
      racer === RACERS / 2
        ? app.inject('DELETE', `${BOOKS}/${id}`)
        : app.inject('PUT', `${BOOKS}/${id}`, { body: { pages: racer } }),
    );
    const won = answers.filter(({ status }) => status === 200).length;
    const late = answers.filter(({ status }) => status === 404).length;
    expect(won + late).toBe(RACERS - 1);
    expect((await app.inject('GET', `${BOOKS}/${id}`)).status).toBe(404);
    const { body } = await app.inject('GET', `${BOOKS}/${id}/history?count=1000`);
    const written = body.results.filter(({ action }: { action: string }) => action !== 'delete');
    expect(written).toHaveLength(won + 1);
  });

  it('unique values go to one of many', async () => {
    const body = { name: 'Twin', email: 'twin@example.org' };
    const answers = await race(() => app.inject('POST', '/1.0/library/people', { body }));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(RACERS - 1).fill(400)]);
  });
});
