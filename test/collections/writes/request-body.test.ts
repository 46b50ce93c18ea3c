import { describe, expect, test } from 'vitest';
import { FULL_ACCESS } from '../../../src/collections/model/access.ts';
import { type BodyPosition, WHOLE_BODY } from '../../../src/collections/writes/planned-write.ts';
import {
  assertStorable,
  assertValid,
  parseDocuments,
  parseFields,
  requireQuery,
  requireUpdate,
  validateBody,
} from '../../../src/collections/writes/request-body.ts';
import { AppError } from '../../../src/errors/errors.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { collectionOf } from '../library-service.ts';

function refused(run: () => unknown): AppError {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('JSON that cannot be stored is rejected with its path', async () => {
  await assertStorable([{ a: [1, 'x'] }]);
  await expect(assertStorable({ a: ['\ud800'] })).rejects.toMatchObject({ items: [{ field: 'a.0' }] });
  await expect(assertStorable([{}, { a: '\ud800' }])).rejects.toMatchObject({ items: [{ field: '1.a' }] });
});

describe('documents of a create', () => {
  test('one or many', () => {
    expect(parseDocuments({ a: 1 }, 2)).toEqual([{ a: 1 }]);
    expect(parseDocuments([{ a: 1 }, {}], 2)).toEqual([{ a: 1 }, {}]);
  });

  test('none, too many, or something else', () => {
    expect(refused(() => parseDocuments([], 2)).status).toBe(400);
    const large = refused(() => parseDocuments([{}, {}, {}], 2));
    expect([large.code, large.message]).toEqual(['WRITE_TOO_LARGE', expect.stringContaining('3 documents')]);
    for (const body of [null, 5, 'x', [null], [[{}]]] as Json[]) {
      expect(refused(() => parseDocuments(body, 2)).code).toBe('DOCUMENT_INVALID');
    }
    expect(refused(() => parseDocuments([{}, 5], 2)).items).toMatchObject([{ index: 1 }]);
  });
});

describe('fields of an update by id', () => {
  const plain = collectionOf('books', { fields: { title: {} } });
  const odd = collectionOf('books', { fields: { update: { type: 'Object' }, query: { type: 'Object' } } });

  test.each([
    [{ title: 'A' }, { title: 'A' }],
    [{ update: { title: 'A' } }, { title: 'A' }],
    [{ query: { title: 'B' }, update: { title: 'A' } }, { title: 'A' }],
    [
      { update: { title: 'A' }, title: 'B' },
      { update: { title: 'A' }, title: 'B' },
    ],
    [{ update: 5 }, { update: 5 }],
    [{}, {}],
  ])('of %j are %j', (body, fields) => {
    expect(parseFields(plain, body as Json)).toEqual(fields);
  });

  test('a field called update is a field', () => {
    expect(parseFields(odd, { update: { a: 1 } })).toEqual({ update: { a: 1 } });
  });

  test('are an object', () => {
    expect(refused(() => parseFields(plain, [])).status).toBe(400);
  });
});

test('writes by query need their members', () => {
  expect(requireQuery({ query: { a: 1 } })).toEqual({ a: 1 });
  expect(requireUpdate({ update: { a: 1 } })).toEqual({ a: 1 });
  for (const body of [null, [], {}, { query: null, update: [] }, { query: 'x', update: 1 }] as Json[]) {
    expect(refused(() => requireQuery(body)).items[0]?.field).toBe('query');
    expect(refused(() => requireUpdate(body)).items[0]?.field).toBe('update');
  }
});

test('the parser of bodies refuses only when there is something to refuse, and never lists without end', () => {
  assertValid([]);
  const items = Array.from({ length: 5000 }, (_, n) => ({ field: `${n}`, message: 'is wrong type' }));
  expect(refused(() => assertValid(items)).items).toHaveLength(101);
});

const PEOPLE = collectionOf('people', {
  fields: { name: { required: true }, code: { validation: { regex: { pattern: '(?=a)a' } } } },
});
const extractedAt = (position: BodyPosition, fields: JsonObject) => ({
  fields,
  position,
  subDocuments: [],
  issues: [{ field: 'friend', message: 'of the extraction' }],
});

test('issues of fields have their position in the request, those of sub-documents come after them', async () => {
  const target = { collection: PEOPLE, mode: 'create' } as const;
  const fieldsOf = async (position: BodyPosition, fields: JsonObject) => {
    const body = extractedAt(position, fields);
    const sent = { ...target, access: FULL_ACCESS, sent: fields };
    const { issues } = await validateBody({ matchPattern: async () => false }, sent, body);
    return issues.map(({ index, field }) => [index, field]);
  };
  const inList = { prefix: 'author.', index: 2 };
  const extraction = [undefined, 'friend'];
  expect(await fieldsOf(inList, {})).toEqual([[2, 'author.name'], extraction]);
  expect(await fieldsOf(inList, { name: 'A', code: 'a' })).toEqual([[2, 'author.code'], extraction]);
  expect(await fieldsOf(WHOLE_BODY, {})).toEqual([[undefined, 'name'], extraction]);
});
