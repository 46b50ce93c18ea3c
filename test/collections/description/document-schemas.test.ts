// The schemas of a collection's documents: what of its specification they show, and to whom.
import { describe, expect, it } from 'vitest';
import { createDocumentSchemas } from '../../../src/collections/description/document-schemas.ts';
import { internalSchemas } from '../../../src/collections/description/internal-schemas.ts';
import { INTERNAL_FIELDS } from '../../../src/collections/model/collection.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { collectionOf } from '../library-service.ts';
import {
  FULL_CALLER,
  namesOf,
  type Restriction,
  restrictedCaller,
  validatorFor,
} from './described-library.ts';

const ID = '0123456789abcdef01234567';
const BOOKS = collectionOf('books', {
  fields: {
    title: { type: 'String', required: true, label: 'Title', comments: 'As on the cover.', example: 'Emma' },
    isbn: { type: 'String', validation: { minLength: 2, maxLength: 13, regex: { pattern: '^[0-9X]+$' } } },
    slug: { type: 'String', validation: { regex: { pattern: '^[a-z]+$', flags: 'i' } } },
    state: { type: 'String', required: true, default: 'draft' },
    rank: { type: 'Number', default: 3 },
    out: { type: 'DateTime' },
    extra: { type: 'Mixed' },
    author: { type: 'Reference', settings: { collection: 'people' } },
    lost: { type: 'Reference', settings: { collection: 'nowhere' } },
    cover: { type: 'Reference', settings: { collection: 'pictures' } },
  },
  settings: { storeRevisions: true, displayName: 'Books of the library' },
});
const PEOPLE = collectionOf('people', { fields: { name: { type: 'String', required: true } } });
const PICTURES = collectionOf('pictures', {
  fields: { caption: { type: 'String', required: true }, fileName: { label: 'File' } },
  settings: { type: 'media' },
});
const ALL = [BOOKS, PEOPLE, PICTURES];

const restriction = (members: Partial<Restriction>): Restriction => ({
  hidden: [],
  closed: [],
  denied: [],
  ...members,
});
const componentsFor = (restrictions: Readonly<Record<string, Restriction>> = {}) =>
  validatorFor(ALL, restrictedCaller(restrictions)).components;
const properties = (component: string, restrictions: Readonly<Record<string, Restriction>> = {}) =>
  componentsFor(restrictions)[component]?.['properties'] as Readonly<Record<string, JsonObject>>;
const books = namesOf('books');
const people = namesOf('people');
const pictures = namesOf('pictures');

describe('the schemas of documents', () => {
  it('show label, comments and example of a field, and the display name of the collection', () => {
    const shown = { title: 'Title', description: 'As on the cover.', examples: ['Emma'] };
    expect(properties(books.document)['title']).toMatchObject(shown);
    expect(properties(books.creation)['title']).toMatchObject(shown);
    expect(componentsFor()[books.document]?.['title']).toBe('Books of the library');
    expect(componentsFor()[people.document]?.['title']).toBe('people');
  });

  it('have the lengths and the pattern of a field, and no pattern with flags', () => {
    const rules = { type: 'string', minLength: 2, maxLength: 13, pattern: '^[0-9X]+$' };
    const anyOf = [rules, { type: 'array', items: rules }, { type: 'null' }];
    expect(properties(books.document)['isbn']).toEqual({ anyOf });
    expect(properties(books.creation)['isbn']).toEqual({ anyOf });
    expect(JSON.stringify(properties(books.creation)['slug'])).not.toContain('pattern');
  });

  it('require of new documents what has no default, and nothing of changes and answers', () => {
    const components = componentsFor();
    expect(components[books.creation]?.['required']).toEqual(['title']);
    expect(components[books.change]).not.toHaveProperty('required');
    expect(components[books.document]).not.toHaveProperty('required');
    expect(properties(books.creation)['rank']).toEqual({ type: ['number', 'null'], default: 3 });
    expect(properties(books.change)['rank']).toEqual({ type: ['number', 'null'] });
  });

  it('take no blank text for a required field', () => {
    const { check } = validatorFor(ALL, FULL_CALLER);
    for (const title of ['', null]) expect(check(books.change, { title })).toBeDefined();
    expect(check(books.change, { title: 'Emma', isbn: null })).toBeUndefined();
  });

  it('tell a DateTime as it is sent from one as it is stored', () => {
    const { check } = validatorFor(ALL, FULL_CALLER);
    expect(check(books.creation, { title: 'Emma', out: '1815-12-23' })).toBeUndefined();
    expect(check(books.document, { out: '1815-12-23' })).toBeDefined();
    expect(check(books.document, { out: '1815-12-23T00:00:00.000Z' })).toBeUndefined();
  });

  it('hold what is sent for a new document against the rules of texts, and not its stored form, which may be sent back', () => {
    const regex = { pattern: '^\\d{4}-\\d\\d-\\d\\d$' };
    const fields = {
      day: { type: 'DateTime', validation: { regex, maxLength: 10 } },
      code: { type: 'ObjectID', validation: { regex: { pattern: '^[0-9A-F]+$' } } },
    };
    const { check } = validatorFor([collectionOf('days', { fields })], FULL_CALLER);
    const days = namesOf('days');
    const sent = { day: '1815-12-23', code: ID.toUpperCase() };
    const stored = { day: '1815-12-23T00:00:00.000Z', code: ID };
    expect([check(days.creation, sent), check(days.document, stored), check(days.change, stored)]).toEqual(
      Array(3).fill(undefined),
    );
    expect(check(days.creation, { day: stored.day })).toBeDefined();
    expect(check(days.creation, { code: stored.code })).toBeDefined();
  });

  it('describe every internal field, and mark it as read-only', () => {
    const schemas = internalSchemas({ underscored: false });
    expect(Object.keys(schemas)).toEqual(INTERNAL_FIELDS);
    for (const schema of Object.values(schemas)) {
      expect(schema).toMatchObject({ readOnly: true, description: expect.any(String) });
    }
    expect(Object.keys(properties(books.document)).at(0)).toBe('_id');
  });

  it('take unknown fields in answers, and not in what is sent', () => {
    const { check } = validatorFor(ALL, FULL_CALLER);
    expect(check(books.document, { dropped: 1 })).toBeUndefined();
    expect(check(books.creation, { title: 'Emma', dropped: 1 })).toBeDefined();
    expect(check(books.change, { dropped: 1 })).toBeDefined();
    expect(
      check(books.change, { _id: ID, v: 3, history: [ID], composed: {}, $unset: ['isbn'] }),
    ).toBeUndefined();
  });

  it('say of what hooks make of a body only how it is stored', () => {
    const hooks = { beforeCreate: ['fill'], beforeUpdate: ['fill'] };
    const hooked = collectionOf('hooked', { fields: { title: { required: true } }, settings: { hooks } });
    const { check } = validatorFor([hooked], FULL_CALLER);
    for (const name of [namesOf('hooked').creation, namesOf('hooked').change]) {
      expect(check(name, { other: 1 })).toBeUndefined();
      expect(check(name, { title: 1 })).toBeDefined();
    }
  });
});

describe('the schema of a reference', () => {
  const composed = { _id: ID, name: 'Jane', v: 1 };

  it('takes the id, or the document behind it, alone and in lists', () => {
    const { check } = validatorFor(ALL, FULL_CALLER);
    for (const author of [ID, composed, [ID, composed, null], null]) {
      expect(check(books.document, { author })).toBeUndefined();
    }
    for (const author of ['jane', 5, { ...composed, name: 5 }, [['jane']]]) {
      expect(check(books.document, { author })).toBeDefined();
    }
  });

  it('takes ids only where there is no document for the caller', () => {
    const caller = restrictedCaller({ people: restriction({ denied: ['read'] }) });
    const { check } = validatorFor(ALL, caller);
    expect(check(books.document, { author: ID, lost: [ID] })).toBeUndefined();
    expect(check(books.document, { author: composed })).toBeDefined();
    expect(check(books.document, { lost: { _id: ID } })).toBeDefined();
  });

  it('takes new documents, and changes of those with an id, as far as the caller may write them', () => {
    const sent = (author: JsonObject) => ({ title: 'Emma', author });
    const verdicts = (restrictions: Readonly<Record<string, Restriction>>) => {
      const { check } = validatorFor(ALL, restrictedCaller(restrictions));
      const bodies = [{ name: 'Jane' }, {}, { _id: ID, name: 'Jane' }, { _id: ID, name: 5 }, { _id: 'x' }];
      return bodies.map((author) => check(books.creation, sent(author)) === undefined);
    };
    expect(verdicts({})).toEqual([true, false, true, false, false]);
    const neither = restriction({ denied: ['create', 'update'] });
    // One that is sent back unchanged is taken, whatever it holds.
    expect(verdicts({ people: neither })).toEqual([false, false, true, true, false]);
  });

  it('takes of a record its id only', () => {
    const { check } = validatorFor(ALL, FULL_CALLER);
    expect(check(books.creation, { title: 'Emma', cover: { _id: ID, fileName: 'a.png' } })).toBeUndefined();
    expect(check(books.creation, { title: 'Emma', cover: { fileName: 'a.png' } })).toBeDefined();
  });
});

describe('the schemas for a caller', () => {
  const restrictions = { books: restriction({ hidden: ['rank', 'extra'], closed: ['isbn', 'extra'] }) };

  it('leave hidden fields out of answers, and tell of those that may be written no default', () => {
    expect(properties(books.document, restrictions)).not.toHaveProperty('rank');
    expect(properties(books.revision, restrictions)).not.toHaveProperty('rank');
    expect(properties(books.creation, restrictions)['rank']).toEqual({
      type: ['number', 'null'],
      writeOnly: true,
    });
  });

  it('leave closed fields out of new documents; in changes they are read-only, or absent where they are hidden', () => {
    expect(properties(books.creation, restrictions)).not.toHaveProperty('isbn');
    expect(properties(books.change, restrictions)['isbn']).toMatchObject({ readOnly: true });
    for (const component of Object.values(books)) {
      expect(properties(component, restrictions)).not.toHaveProperty('extra');
    }
  });

  it('are those of what the caller may do', () => {
    const may = (...denied: Restriction['denied']) =>
      Object.keys(componentsFor({ books: restriction({ denied }) })).filter((name) =>
        Object.values(books).includes(name),
      );
    expect(may()).toEqual(Object.values(books));
    expect(may('create', 'update', 'history')).toEqual([books.document]);
    expect(may('history', 'update')).toEqual([books.document, books.creation]);
    const blind = { books: restriction({ denied: ['read', 'history'] }) };
    expect(Object.keys(properties(books.document, blind))).toEqual(['_id']);
  });

  it('have no reference to a component that there is not', () => {
    for (const denied of [
      [],
      ['read'],
      ['create'],
      ['update'],
      ['create', 'update'],
      ['read', 'history'],
    ] as const) {
      const components = componentsFor({ people: restriction({ denied: [...denied] }), ...restrictions });
      const wanted = JSON.stringify(components).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
      for (const [, name = ''] of wanted) expect(Object.keys(components)).toContain(name);
    }
  });
});

describe('the schemas of a media collection', () => {
  it('show the fields of records as read-only', () => {
    const shown = properties(pictures.document);
    expect(shown['fileName']).toMatchObject({ title: 'File', type: 'string', readOnly: true });
    expect(shown['width']).toMatchObject({ type: 'integer', readOnly: true });
  });

  it('describe the form of an upload, with the file and the fields of the specification', () => {
    const form = componentsFor()[pictures.creation] as JsonObject;
    expect(form['required']).toEqual(['caption', 'file']);
    expect(Object.keys(form['properties'] as JsonObject)).toEqual(['caption', 'file']);
  });

  it('take a fetched record in a change, and none from a collection that shares its documents', () => {
    const { check } = validatorFor(ALL, FULL_CALLER);
    expect(check(pictures.change, { _id: ID, fileName: 'a.png', width: 1, caption: 'A' })).toBeUndefined();
    const sharing = {
      ...collectionOf('pictures', { fields: { caption: {} } }),
      version: '2.0',
      path: '/2.0/library/pictures',
    };
    const { components } = validatorFor([PICTURES, sharing], FULL_CALLER);
    expect(components).not.toHaveProperty('new_2_0__library__pictures');
    expect(components).toHaveProperty('change_2_0__library__pictures');
  });
});

describe('the schemas of answers', () => {
  it('hold documents, revisions, counts and figures', () => {
    const registry = { get: () => undefined, isRevisionCollection: () => false, holdsRecords: () => false };
    const { schemas } = createDocumentSchemas(PEOPLE, { registry, caller: FULL_CALLER });
    expect(schemas.document).toEqual({ $ref: `#/components/schemas/${people.document}` });
    expect(schemas.page).toMatchObject({ properties: { results: { items: schemas.document } } });
    expect(schemas.revisions).toMatchObject({ properties: { results: { items: { type: 'object' } } } });
    expect([schemas.created, schemas.changed]).toEqual([
      { $ref: `#/components/schemas/${people.creation}` },
      { $ref: `#/components/schemas/${people.change}` },
    ]);
  });

  it('offer nothing to send where a collection holds the revisions of another', () => {
    const registry = { get: () => undefined, isRevisionCollection: () => true, holdsRecords: () => false };
    const { schemas, components } = createDocumentSchemas(PEOPLE, { registry, caller: FULL_CALLER });
    expect([schemas.created, schemas.changed]).toEqual([{ type: 'object' }, { type: 'object' }]);
    expect(components).not.toHaveProperty(people.creation);
  });
});
