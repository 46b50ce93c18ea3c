// Schemas of what clients send, beside what the server takes, on generated specifications, callers and bodies.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portablePattern } from '../../../src/collections/description/field-schemas.ts';
import {
  type Collection,
  type Field,
  isReference,
  referenceTarget,
} from '../../../src/collections/model/collection.ts';
import type { Caller } from '../../../src/collections/model/documents.ts';
import { AppError, type ErrorItem } from '../../../src/errors/errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { contextOf, type Library, openLibrary } from '../library-service.ts';
import { namesOf, RESTRICTIONS, restrictedCaller, validatorFor } from './described-library.ts';
import { body, SPECIFICATIONS } from './generated-specifications.ts';

const NAMES = ['books', 'people'];

/** Items of the refusal; undefined for what was taken. */
async function refusal(
  work: () => PromiseLike<unknown> | unknown,
): Promise<readonly ErrorItem[] | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.items.length > 0 ? error.items : [{ message: error.message }];
    throw error;
  }
}

/** The field that an item is about, and its collection: that of the body, or of a sub-document. */
function fieldOf(library: Library, path: string) {
  const registry = { get: (_version: string, _database: string, of: string) => library.at(of) };
  let collection: Collection | undefined = library.at('books');
  const segments = path.split('.').filter((segment) => !/^\d+$/.test(segment));
  for (const [index, segment] of segments.entries()) {
    const field: Field | undefined = collection?.fields.get(segment);
    if (index === segments.length - 1) return { collection, field };
    collection = collection && field && referenceTarget(registry, collection, field);
  }
  return {};
}

/** Why a schema cannot know that the server refuses a body. */
function excuseOf(library: Library, caller: Caller, { field: path = '', code }: ErrorItem) {
  if (path === '' && code?.startsWith('ERROR_')) return 'the default of a hidden field';
  if (path.endsWith('_id')) return 'an unknown id';
  const { collection, field } = fieldOf(library, path);
  if (collection === undefined || field === undefined) return undefined;
  if (code === 'ERROR_REQUIRED' && caller.access(collection).closed.has(field.name)) return 'a closed field';
  if (field.type === 'DateTime' && code === 'ERROR_VALUE_INVALID') return 'a day that there is not';
  const { regex } = field.validation;
  if (code === 'ERROR_REGEX' && regex && portablePattern(regex) === undefined)
    return 'a pattern that no schema has';
  if (/^ERROR_(REGEX|MIN_LENGTH|MAX_LENGTH)$/.test(code ?? '')) {
    if (['Number', 'Boolean', 'Mixed', 'Object'].includes(field.type)) return 'a rule of texts on a number';
    if (field.default !== undefined) return 'a default that breaks the rules';
    if (isReference(field)) return 'a rule of texts on the id of a sub-document';
  }
  return undefined;
}

interface Tally {
  taken: number;
  refused: number;
  readonly excuses: Set<string>;
}

describe('what the server takes', () => {
  it('for a new document is what its schema accepts, but for what no schema can say', async () => {
    const tally: Tally = { taken: 0, refused: 0, excuses: new Set() };
    const bodies = SPECIFICATIONS.chain((sources) =>
      fc.tuple(
        fc.constant(sources),
        RESTRICTIONS,
        fc.array(body(sources, 'books'), { minLength: 25, maxLength: 25 }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(bodies, async ([sources, restrictions, sent]) => {
        const library = await openLibrary(sources);
        try {
          const caller = restrictedCaller(restrictions);
          const { check } = validatorFor(NAMES.map(library.at), caller);
          for (const one of sent) {
            const issues = await refusal(() => library.create('books', one, contextOf(caller)));
            compare(library, caller, { one, issues, wrong: check(namesOf('books').creation, one) }, tally);
          }
        } finally {
          await library.close();
        }
      }),
      { numRuns: 15 },
    );
    expect(tally.taken).toBeGreaterThan(30);
    expect(tally.refused).toBeGreaterThan(30);
    expect(tally.excuses.size).toBeGreaterThan(0);
  });
});

interface Verdicts {
  readonly one: JsonObject;
  readonly issues: readonly ErrorItem[] | undefined;
  readonly wrong: string | undefined;
}

function compare(library: Library, caller: Caller, { one, issues, wrong }: Verdicts, tally: Tally): void {
  if (issues === undefined) {
    tally.taken += 1;
    expect({ one, wrong }).toEqual({ one, wrong: undefined });
    return;
  }
  tally.refused += 1;
  if (wrong !== undefined) return;
  const excuses = issues.map((issue) => excuseOf(library, caller, issue));
  const found = excuses.find((excuse) => excuse !== undefined);
  if (found === undefined) expect({ one, issues }).toEqual({ one, issues: undefined });
  else tally.excuses.add(found);
}
