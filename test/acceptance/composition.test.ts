// References over the whole application: resolved on the way out, taken apart on the way in.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, type TestCollection } from '../helpers/app/site.ts';

const UNKNOWN = '0123456789abcdef01234567';
const ref = (collection: string, more = {}) => ({ type: 'Reference', settings: { collection, ...more } });

let app: TestApp;
let people: TestCollection;
let books: TestCollection;
let chains: TestCollection;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  people = await createTestCollection(app, '/1.0/library/people', {
    fields: {
      name: { required: true },
      born: { type: 'Number' },
      at: { type: 'DateTime' },
      spouse: ref('people'),
    },
    settings: { storeRevisions: true },
  });
  books = await createTestCollection(app, '/1.0/library/books', {
    fields: {
      name: {},
      author: ref('people'),
      others: ref('people', { fields: ['name'] }),
      deep: ref('people', { compose: true }),
      lost: ref('nowhere'),
      part: { type: 'Reference' },
    },
  });
  chains = await createTestCollection(app, '/1.0/library/chains', {
    fields: { name: {}, next: { type: 'Reference' } },
    settings: { compose: true },
  });
});

afterAll(() => app.close());

const one = async (shelf: TestCollection, id: string, parameters = {}) =>
  (await shelf.get(parameters, `/${id}`)).body.results[0];

describe('composition', () => {
  it('is off unless asked for, and goes one level', async () => {
    const [spouse] = await people.add({ name: 'Spouse' });
    const [author] = await people.add({ name: 'Author', spouse: spouse._id });
    const [book] = await books.add({ name: 'a', author: author._id, deep: author._id });
    expect(book).toMatchObject({ author: author._id, deep: author._id });
    expect(await one(books, book._id)).toEqual(book);
    for (const off of ['yes', 'True', '-1', '1.5', '0', 'false', '']) {
      expect(await one(books, book._id, { compose: off })).toEqual(book);
    }
    const { history, ...composed } = author;
    expect(history).toHaveLength(1);
    expect(await one(books, book._id, { compose: true })).toEqual({
      ...book,
      author,
      deep: { ...composed, history, spouse, composed: { spouse: spouse._id } },
      composed: { author: author._id, deep: author._id },
    });
  });

  it('keeps order, duplicates and what cannot be found; drops nulls; shows the fields that are named', async () => {
    const [a, b] = await people.add({ name: 'A', born: 1 }, { name: 'B', born: 2 });
    const others = [b._id, UNKNOWN, null, a._id, b._id];
    const [book] = await books.add({ name: 'b', others, lost: UNKNOWN, author: UNKNOWN });
    expect(book.others).toEqual(others);
    const composed = await one(books, book._id, { compose: true });
    const shown = (person: { name: string; _id: string }) => ({ name: person.name, _id: person._id });
    expect(composed.others).toEqual([shown(b), UNKNOWN, shown(a), shown(b)]);
    expect([composed.lost, composed.author]).toEqual([UNKNOWN, UNKNOWN]);
    expect(composed.composed).toEqual({
      others: others.filter((id) => id !== null),
      lost: UNKNOWN,
      author: UNKNOWN,
    });
  });

  it('leaves the id where a circle closes, and ends after ten levels', async () => {
    const [a] = await chains.add({ name: 'a' });
    const [b] = await chains.add({ name: 'b', next: a._id });
    await app.inject('PUT', `${chains.path}/${a._id}`, { body: { next: b._id } });
    const circle = await one(chains, a._id);
    expect([circle.next.name, circle.next.next]).toEqual(['b', a._id]);
    let next: string | null = null;
    for (let level = 12; level >= 0; level -= 1) {
      const added: { _id: string }[] = await chains.add({ name: String(level), next });
      next = added[0]!._id;
    }
    let document = await one(chains, String(next));
    const names = [];
    for (; typeof document === 'object'; document = document.next) names.push(document.name);
    expect(names).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
    expect(document).toMatch(/^[0-9a-f]{24}$/);
    const flat = await one(chains, String(next), { compose: false });
    expect(flat).not.toHaveProperty('composed');
  });

  it('applies the limiters of the collection that is referred to', async () => {
    const fields = { name: {}, secret: {} };
    const limited = await createTestCollection(app, '/1.0/library/limited', {
      fields,
      settings: { fieldLimiters: { secret: 0 } },
    });
    const holder = await createTestCollection(app, '/1.0/library/holder', {
      fields: { name: {}, to: ref('limited'), named: ref('limited', { fields: ['secret'] }) },
    });
    const [{ _id }] = await limited.add({ name: 'n', secret: 's' });
    const [held] = await holder.add({ name: 'h', to: _id, named: _id });
    const composed = await one(holder, held._id, { compose: true });
    expect([composed.to.name, composed.to.secret, composed.named]).toEqual([
      'n',
      undefined,
      { secret: 's', _id },
    ]);
  });

  it('leaves ids where the caller may not read the documents', async () => {
    const [author] = await people.add({ name: 'Hidden' });
    const [book] = await books.add({ name: 'c', author: author._id });
    const token = await app.userToken('reader', { collections: [{ path: 'books' }] });
    const { body } = await app.inject('GET', `${books.path}/${book._id}?compose=true`, { token });
    expect(body.results[0].author).toBe(author._id);
    const filter = encodeURIComponent('{"author.name":"Hidden"}');
    const refused = await app.inject('GET', `${books.path}?filter=${filter}`, { token });
    expect(refused.status).toBe(400);
    for (const [method, path] of [
      ['POST', books.path],
      ['PUT', `${books.path}/${book._id}`],
    ] as const) {
      const body = { author: { name: 'New' } };
      const write = await app.inject(method, path, { token, body });
      expect([write.status, write.headers['www-authenticate']]).toEqual([401, `Bearer realm="${path}"`]);
    }
    // The refusal comes long before the rest of the batch was looked at.
    const batch = [{ author: { name: 'New' } }, ...Array.from({ length: 5000 }, () => ({ name: 'x' }))];
    expect((await app.inject('POST', books.path, { token, body: batch })).status).toBe(401);
    expect(await people.find({ name: 'New' })).toEqual([]);
  });

  it('filters through references, more than one level deep', async () => {
    const [spouse] = await people.add({ name: 'Deep' });
    const [author] = await people.add({ name: 'Middle', spouse: spouse._id });
    const [second] = await people.add({ name: 'middle', born: 5 });
    await books.add({ name: 'd1', author: author._id }, { name: 'd2', others: [second._id] });
    await books.add({ name: 'd3', author: second._id });
    expect(await books.find({ 'author.spouse.name': 'dEEP' })).toEqual(['d1']);
    expect(await books.find({ 'author.name': 'MIDDLE' })).toEqual(['d1', 'd3']);
    expect(await books.find({ 'others.born': '5' })).toEqual(['d2']);
  });
});

describe('sub-documents', () => {
  it('are created with their parent, which is answered composed', async () => {
    const [known] = await people.add({ name: 'Known' });
    const body = {
      name: 'e',
      author: { name: 'Inner', spouse: { name: 'Innermost' } },
      others: [known._id, { name: 'Second' }, { name: 'Third' }],
    };
    const { status, body: answer } = await app.inject('POST', books.path, { body });
    const [book] = answer.results;
    expect([status, book.author.name]).toEqual([200, 'Inner']);
    expect(book.others.map(({ name }: { name: string }) => name)).toEqual(['Known', 'Second', 'Third']);
    const stored = await one(books, book._id, { compose: false });
    expect(stored.others).toEqual(book.composed.others);
    const author = await one(people, stored.author);
    expect(author).toMatchObject({ name: 'Inner', v: 1, apiVersion: '1.0', createdAt: expect.any(Number) });
    expect((await one(people, author.spouse)).name).toBe('Innermost');
    const single = await app.inject('PUT', `${books.path}/${book._id}`, {
      body: { others: [{ name: 'Only' }] },
    });
    expect(single.body.results[0].others).toEqual([{ name: 'Only', _id: expect.any(String) }]);
  });

  it('are validated whole before anything is written', async () => {
    const before = await people.find({});
    const bad = [
      [{ name: 'f', author: { born: 1 } }, 'author.name', 'must be specified'],
      [{ name: 'f', author: { name: 'x', spouse: { name: '' } } }, 'author.spouse.name', "can't be blank"],
      [
        { name: 'f', others: [{ name: 'ok' }, { name: 'x', nope: 1 }] },
        'others.1.nope',
        "doesn't exist in the collection schema",
      ],
      [{ name: 'f', lost: { name: 'x' } }, 'lost', expect.any(String)],
      [{ name: 'f', author: { _id: 'short', name: 'x' } }, 'author', 'is not a valid ObjectID'],
    ] as const;
    for (const [body, field, message] of bad) {
      const answer = await app.inject('POST', books.path, { body });
      expect([answer.status, answer.body.errors[0]]).toMatchObject([400, { field, message }]);
    }
    expect(await people.find({})).toEqual(before);
    expect(await books.find({ name: 'f' })).toEqual([]);
  });

  it('are not created by an update that matches nothing', async () => {
    const before = await people.find({});
    const update = { author: { name: 'Orphan' } };
    const { status, body } = await app.inject('PUT', books.path, {
      body: { query: { name: 'zzz' }, update },
    });
    expect([status, body.results]).toEqual([200, []]);
    expect(await people.find({})).toEqual(before);
    const bad = await app.inject('PUT', books.path, {
      body: { query: { name: 'zzz' }, update: { author: { name: '' } } },
    });
    expect([bad.status, bad.body.errors[0].field]).toEqual([400, 'author.name']);
  });

  it('sent back unchanged are their ids; changed, they are updated there', async () => {
    const [author] = await people.add({ name: 'Back', born: 1, at: '2024-01-01' });
    const [book] = await books.add({ name: 'g', author: author._id, others: [author._id, author._id] });
    const fetched = await one(books, book._id, { compose: true });
    const path = `${books.path}/${book._id}`;
    const same = await app.inject('PUT', path, { body: fetched });
    expect([same.status, same.body.results[0].v]).toEqual([200, 2]);
    expect(await one(books, book._id)).toMatchObject({
      author: author._id,
      others: [author._id, author._id],
    });
    expect((await one(people, author._id)).v).toBe(1);
    const changed = await app.inject('PUT', path, { body: { author: { ...fetched.author, born: 2 } } });
    expect([changed.status, changed.body.results[0].author.born]).toEqual([200, 2]);
    expect(await one(people, author._id)).toMatchObject({
      born: 2,
      v: 2,
      name: 'Back',
      lastModifiedBy: expect.any(String),
    });
    const stale = await app.inject('PUT', path, {
      body: { name: 'h', author: { ...fetched.author, born: 3 } },
    });
    expect([stale.status, stale.body.errors[0].field]).toEqual([409, 'author']);
    expect(await one(books, book._id)).toMatchObject({ name: 'g', v: 3 });
    expect((await one(people, author._id)).history).toHaveLength(2);
    const composed = { author: UNKNOWN };
    const ignored = await app.inject('PUT', path, { body: { name: 'i', composed } });
    expect(ignored.body.results[0].author).toBe(author._id);
  });
});

describe('references to other databases', () => {
  it('resolve by their folder where each has a namespace of its own', async () => {
    const config = { database: { enableCollectionDatabases: true } };
    const other = await startApp({ specs: {}, config });
    const fields = { name: {} };
    const here = await createTestCollection(other, '/1.0/here/things', { fields });
    const there = await createTestCollection(other, '/1.0/there/things', { fields });
    const from = await createTestCollection(other, '/1.0/here/from', {
      fields: { name: {}, near: ref('things'), far: ref('things', { database: 'there' }) },
    });
    const [near] = await here.add({ name: 'near' });
    const [far] = await there.add({ name: 'far' });
    await from.add({ name: 'from', near: near._id, far: far._id });
    const [{ near: nearby, far: away }] = (await from.get({ compose: true })).body.results;
    expect([nearby.name, away.name]).toEqual(['near', 'far']);
    expect(await here.find({})).toEqual(['near']);
    expect(await from.find({ 'far.name': 'FAR' })).toEqual(['from']);
    const body = { fields, settings: { index: { keys: { name: 1 }, options: { unique: true } } } };
    await other.inject('POST', `${there.path}/config`, { body });
    const writes = Array.from({ length: 8 }, (_, n) =>
      other.inject('POST', from.path, {
        body: { name: `n${n}`, near: { name: `n${n}` }, far: { name: 'one' } },
      }),
    );
    const answers = await Promise.all(writes);
    const refusals = answers.filter(({ status }) => status === 400);
    expect(refusals.map(({ body: { errors } }) => errors[0].field)).toEqual(Array(7).fill('far.name'));
    expect(await from.find({})).toHaveLength(2);
    expect(await here.find({})).toHaveLength(2);
    expect(await there.find({})).toEqual(['far', 'one']);
    await other.close();
  });

  it('mean the same documents where all share one', async () => {
    const home = await createTestCollection(app, '/1.0/home/pets', {
      fields: { name: {}, friend: ref('pets', { database: 'away' }) },
    });
    const [friend] = await home.add({ name: 'friend' });
    const [pet] = await home.add({ name: 'pet', friend: friend._id });
    expect((await one(home, pet._id, { compose: true })).friend.name).toBe('friend');
  });
});
