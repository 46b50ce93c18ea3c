// Schemas of answers, beside what the server answers to reads and writes, on generated specifications, callers and bodies; and schemas
// of changes, beside what it takes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadPage } from '../../../src/collections/model/documents.ts';
import { pageJson, readPageJson } from '../../../src/collections/model/page-json.ts';
import type { ComposeDepth, ReadRequest } from '../../../src/collections/model/read-parameters.ts';
import { AppError } from '../../../src/errors/errors.ts';
import type { ChunkedText } from '../../../src/lib/chunked-text.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { contextOf, type Library, openLibrary } from '../library-service.ts';
import {
  FULL_CALLER,
  namesOf,
  RESTRICTIONS,
  type Restriction,
  restrictedCaller,
  type Validator,
  validatorFor,
} from './described-library.ts';
import { body, SPECIFICATIONS } from './generated-specifications.ts';

const NAMES = ['books', 'people'];
const COMPOSE: readonly (ComposeDepth | undefined)[] = [undefined, false, true, 'all', 2];

const parsed = (text: ChunkedText) => JSON.parse([text].flat().join('')) as { results: JsonObject[] };

/** Every combination of the parameters that change what a document looks like. */
const REQUESTS: readonly ReadRequest[] = COMPOSE.flatMap((compose) =>
  [undefined, true].flatMap((includeHistory) =>
    [undefined, { title: 1, other: 1 }, { title: 0 }, { f0: 1, _id: 0 }, { history: 1 }].map((fields) => ({
      ...(compose !== undefined && { compose }),
      ...(includeHistory !== undefined && { includeHistory }),
      ...(fields !== undefined && { fields }),
      pageSize: 10,
    })),
  ),
);

/** The result, or undefined for what is refused. */
async function unlessRefused<T>(work: () => PromiseLike<T> | T): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

interface World {
  readonly library: Library;
  readonly restrictions: Readonly<Record<string, Restriction>>;
  readonly check: Validator['check'];
}

function expectValid({ check }: World, component: string, document: JsonObject): void {
  const wrong = check(component, document);
  if (wrong !== undefined) expect({ component, document, wrong }).toBeUndefined();
}

const GENERATED = SPECIFICATIONS.chain((sources) =>
  fc.record({
    sources: fc.constant(sources),
    restrictions: RESTRICTIONS,
    created: fc.array(fc.tuple(fc.constantFrom(...NAMES), body(sources, 'books'), body(sources, 'people')), {
      minLength: 12,
      maxLength: 12,
    }),
    changes: fc.array(body(sources, 'books', 1), { minLength: 12, maxLength: 12 }),
  }),
);

/** Runs a test on generated worlds with documents in both collections. */
async function inWorlds(
  numRuns: number,
  test: (world: World, changes: readonly JsonObject[]) => Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(GENERATED, async ({ sources, restrictions, created, changes }) => {
      const library = await openLibrary(sources);
      try {
        const full = contextOf(FULL_CALLER);
        for (const [name, book, person] of created) {
          const sent = name === 'books' ? book : person;
          const { title, ...rest } = sent;
          await unlessRefused(() => library.create(name, sent, full));
          await unlessRefused(() => library.create(name, rest, full));
        }
        await referToEachOther(library);
        const { check } = validatorFor(NAMES.map(library.at), restrictedCaller(restrictions));
        await test({ library, restrictions, check }, changes);
      } finally {
        await library.close();
      }
    }),
    { numRuns },
  );
}

/** Makes references lead to documents that there are. Fields whose rules no id obeys stay. */
async function referToEachOther(library: Library): Promise<void> {
  const full = contextOf(FULL_CALLER);
  const idsIn = async (name: string) =>
    (await library.all(name)).map((document) => document['_id'] as string);
  const change = (name: string, id: string, fields: JsonObject) =>
    unlessRefused(() => library.documents.updateById(library.at(name), id, fields, full, {}));
  const [books, people] = [await idsIn('books'), await idsIn('people')];
  for (const [index, book] of books.entries()) {
    await change('books', book, { other: people[index % people.length] ?? null });
    await change('books', book, { parent: books.slice(0, 2) });
  }
  for (const person of people) await change('people', person, { other: [books[0] ?? null, null] });
}

describe('an answer', () => {
  it('obeys its schema, whatever is composed, selected and included', async () => {
    let seen = 0;
    let composed = 0;
    let revisions = 0;
    await inWorlds(12, async (world) => {
      const { library, restrictions } = world;
      const context = contextOf(restrictedCaller(restrictions));
      const books = library.at('books');
      for (const request of REQUESTS) {
        const page = (await library.documents.list(books, request, context)) as ReadPage;
        const answer = parsed(readPageJson(page));
        expect(
          world.check('page_metadata', (answer as unknown as { metadata: JsonObject }).metadata),
        ).toBeUndefined();
        for (const document of answer.results) {
          expectValid(world, namesOf('books').document, document);
          seen += 1;
          if (document['composed'] !== undefined) composed += 1;
        }
      }
      if (!books.settings.storeRevisions) return;
      for (const document of await library.all('books')) {
        for (const compose of [false, 'all'] as const) {
          const page = await library.documents.history(
            books,
            document['_id'] as string,
            { compose },
            context,
          );
          for (const revision of parsed(readPageJson(page)).results) {
            expectValid(world, namesOf('books').revision, revision);
            revisions += 1;
          }
        }
      }
    });
    expect([seen > 100, composed > 10, revisions > 0]).toEqual([true, true, true]);
  });
});

describe('a change', () => {
  it('that the server takes obeys its schema, and so do the answer and what is fetched and sent back', async () => {
    let taken = 0;
    let refused = 0;
    let sentBack = 0;
    await inWorlds(12, async (world, changes) => {
      const { library, restrictions } = world;
      const context = contextOf(restrictedCaller(restrictions));
      const books = library.at('books');
      const ids = (await library.all('books')).map((document) => document['_id'] as string);
      const put = (id: string, sent: JsonObject) =>
        unlessRefused(() => library.documents.updateById(books, id, sent, context, { compose: true }));
      for (const [index, change] of changes.entries()) {
        const id = ids[index % ids.length];
        if (id === undefined) return;
        const answer = await put(id, change);
        if (answer === undefined) {
          refused += 1;
          continue;
        }
        taken += 1;
        expectValid(world, namesOf('books').change, change);
        for (const document of parsed(pageJson(answer)).results) {
          expectValid(world, namesOf('books').document, document);
        }
      }
      for (const compose of COMPOSE) {
        const request = { ...(compose !== undefined && { compose }), includeHistory: true, pageSize: 4 };
        const page = (await library.documents.list(books, request, context)) as ReadPage;
        for (const document of parsed(readPageJson(page)).results) {
          expectValid(world, namesOf('books').change, document);
          sentBack += 1;
        }
      }
    });
    expect([taken > 5, refused > 5, sentBack > 10]).toEqual([true, true, true]);
  });
});
