// The API description of collections whose internals have an underscore names what their answers name, of composed documents too.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const reference = (collection: string) => ({ type: 'Reference', settings: { collection } });
const TEXT = { type: 'String' };
const SPECS = {
  '1.0/library/books': {
    fields: { title: TEXT, author: reference('people') },
    settings: { internals: 'underscored', storeRevisions: true },
  },
  '1.0/library/people': {
    fields: { name: TEXT, town: reference('towns') },
    settings: { storeRevisions: true },
  },
  '1.0/library/towns': { fields: { name: TEXT, guide: reference('books') }, settings: {} },
  '1.0/library/apart': { fields: { name: TEXT }, settings: {} },
};
const UNDERSCORED = ['_apiVersion', '_version', '_history', '_createdAt', '_createdBy', '_composed'];
const PLAIN = ['apiVersion', 'v', 'history', 'createdAt', 'createdBy', 'composed'];

let app: TestApp;
let description: {
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
  readonly paths: Readonly<Record<string, JsonObject>>;
};

beforeAll(async () => {
  app = await startApp({ specs: SPECS });
  description = (await app.inject('GET', '/docs/openapi.json')).body;
});
afterAll(() => app.close());

type Schema = { readonly [name: string]: Schema } & {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
};
const schemaAt = (ref: string | undefined): Schema =>
  description.components.schemas[String(ref).split('/').at(-1) ?? ''] as unknown as Schema;

/** The schema of a document that a path answers, or that is composed into it by these fields. */
function documentAt(path: string, ...fields: string[]): Schema {
  const key = path.slice(1).replaceAll('/', '__').replace('.', '_');
  let schema = schemaAt(`doc_${key}`);
  for (const field of fields) {
    const texts = JSON.stringify(schema['properties']?.[field]);
    schema = schemaAt(/"\$ref":"([^"]+)"/.exec(texts)?.[1]);
  }
  return schema;
}

const propertiesOf = (schema: Schema) => Object.keys(schema['properties'] ?? {});
/** Every name of the answer, at each level of composition, is one of the schema. */
async function expectDescribed(path: string, id: string, ...fields: string[]) {
  const answer = await app.inject('GET', `${path}/${id}?compose=all&includeHistory=true`);
  let document = answer.body.results[0];
  expect(propertiesOf(documentAt(path))).toEqual(expect.arrayContaining(Object.keys(document)));
  for (const [at, field] of fields.entries()) {
    document = document[field];
    const described = propertiesOf(documentAt(path, ...fields.slice(0, at + 1)));
    expect(described).toEqual(expect.arrayContaining(Object.keys(document)));
  }
}

describe('the description of underscored internals', () => {
  it('names them as answers do, of the collection and of what is composed into it', () => {
    for (const schema of [
      documentAt('/1.0/library/books'),
      documentAt('/1.0/library/books', 'author'),
      documentAt('/1.0/library/books', 'author', 'town'),
      documentAt('/1.0/library/books', 'author', 'town', 'guide'),
    ]) {
      expect(propertiesOf(schema)).toEqual(expect.arrayContaining(UNDERSCORED));
      expect(propertiesOf(schema).filter((name) => PLAIN.includes(name))).toEqual([]);
    }
    for (const schema of [
      documentAt('/1.0/library/people'),
      documentAt('/1.0/library/people', 'town'),
      documentAt('/1.0/library/people', 'town', 'guide'),
    ]) {
      expect(propertiesOf(schema)).toEqual(expect.arrayContaining(PLAIN));
      expect(propertiesOf(schema).filter((name) => UNDERSCORED.includes(name))).toEqual([]);
    }
  });

  it('holds for real answers on every level, and for bodies that are sent back', async () => {
    const post = async (path: string, body: object) =>
      (await app.inject('POST', path, { body })).body.results[0]._id as string;
    const guide = await post('/1.0/library/books', { title: 'Guide' });
    const town = await post('/1.0/library/towns', { name: 'Bath', guide });
    const author = await post('/1.0/library/people', { name: 'Jane', town });
    const book = await post('/1.0/library/books', { title: 'Emma', author });
    await app.inject('PUT', `/1.0/library/books/${book}`, { body: { title: 'Emma II' } });
    await expectDescribed('/1.0/library/books', book, 'author', 'town', 'guide');
    await expectDescribed('/1.0/library/people', author, 'town', 'guide');

    const change = schemaAt('change_1_0__library__books');
    expect(propertiesOf(change)).toEqual(expect.arrayContaining([...UNDERSCORED, '_id', 'title']));
    expect(propertiesOf(change).filter((name) => PLAIN.includes(name))).toEqual([]);
    const nested = schemaAt('underscored_change_1_0__library__people');
    expect(propertiesOf(nested)).toEqual(expect.arrayContaining(UNDERSCORED));
    const revision = schemaAt('revision_1_0__library__books');
    expect(propertiesOf(revision)).toEqual(expect.arrayContaining(['_version', 'originalDocumentId']));
  });

  it('refers to no schema that is not there, and describes nothing twice that is not composed otherwise', () => {
    const refs = JSON.stringify(description).match(/"#\/components\/schemas\/([^"]+)"/g) ?? [];
    for (const ref of new Set(refs)) expect(schemaAt(ref.slice(1, -1)), ref).toBeDefined();
    const marked = Object.keys(description.components.schemas).filter((name) =>
      /^(?:plain|underscored)_doc/.test(name),
    );
    expect(marked.sort()).toEqual([
      'plain_doc_1_0__library__books',
      'underscored_doc_1_0__library__people',
      'underscored_doc_1_0__library__towns',
    ]);
  });
});
