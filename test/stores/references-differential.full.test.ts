// Filters through references find what they would find if the documents stood in the place of their ids: on the embedded
// database with an index and without, on MongoDB, and by plain evaluation.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseFilter } from '../../src/collections/filters/parse.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import type { Filter } from '../../src/stores/filter.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { collectionOf, LIMITS } from '../collections/library-service.ts';
import { randomRuns, timeoutFor } from '../contracts/random-runs.ts';
import { describeMongo } from '../helpers/store/mongo-servers.ts';
import { embed, filter, people, references, specificationsOf } from './differential/references.ts';
import { createSide, type Outcome, type Side } from './differential/side.ts';
import { openBothStores } from './differential/stores.ts';
import { naiveMatch } from './matching/naive-match.ts';

const RUNS = 40;

const world = fc.record({
  everybody: people,
  whos: references,
  filters: fc.array(filter, { minLength: 15, maxLength: 15 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const FLAT = collectionOf('flat', specificationsOf('people', []).flat);

/** What a filter means on documents that hold people, by the evaluator that knows no index and no database. */
function naively(asked: JsonObject, bodies: readonly JsonObject[]): readonly Json[] {
  const parsed = parseFilter(asked, FLAT, { limits: LIMITS, resolveTarget: () => undefined }) as Filter;
  return bodies.filter((body) => naiveMatch(parsed, body)).map(({ n }) => n ?? null);
}

function answerTo(outcome: Outcome): unknown {
  if ('value' in outcome) return outcome.value;
  throw new Error(JSON.stringify(outcome.refusal));
}

/** The numbers of the documents that a side finds in `name`. */
async function find(side: Side, name: string, asked: JsonObject): Promise<readonly Json[]> {
  const outcome = await side.run(name, { kind: 'list', request: { filter: asked } });
  const { results } = answerTo(outcome) as { readonly results: readonly { readonly n: string }[] };
  return results.map(({ n }) => JSON.parse(n));
}

/** Puts one world on a store. */
async function createWorld(
  store: DocumentStore,
  names: readonly string[],
  drawn: World,
  index: JsonObject[],
) {
  const side = createSide(store);
  const [persons = '', things = '', flat = ''] = names;
  const specifications = specificationsOf(persons, index);
  answerTo(await side.put(persons, specifications.people));
  answerTo(await side.put(things, specifications.things));
  answerTo(await side.put(flat, specifications.flat));
  const referring = drawn.whos.map((who, n) => (who === undefined ? { n } : { n, who }));
  const holding = drawn.whos.map((who, n) =>
    who === undefined ? { n } : { n, who: embed(who, drawn.everybody) },
  );
  answerTo(await side.run(persons, { kind: 'create', body: drawn.everybody }));
  answerTo(await side.run(things, { kind: 'create', body: referring }));
  answerTo(await side.run(flat, { kind: 'create', body: holding }));
  return { side, holding };
}

async function explore(stores: Record<'sqlite' | 'mongo', DocumentStore>, drawn: World, number: number) {
  const names = (kind: string) => ['people', 'things', 'flat'].map((name) => `${name}${kind}${number}`);
  const byWho = [{ keys: { who: 1 } }];
  const worlds = [
    { ...(await createWorld(stores.sqlite, names('i'), drawn, byWho)), names: names('i') },
    { ...(await createWorld(stores.sqlite, names('p'), drawn, [])), names: names('p') },
    { ...(await createWorld(stores.mongo, names('m'), drawn, byWho)), names: names('m') },
  ];
  for (const asked of drawn.filters) {
    const expected = naively(asked, worlds[0]!.holding);
    for (const {
      side,
      names: [, things = '', flat = ''],
    } of worlds) {
      expect(await find(side, flat, asked), `${flat} ${JSON.stringify(asked)}`).toEqual(expected);
      expect(await find(side, things, asked), `${things} ${JSON.stringify(asked)}`).toEqual(expected);
      const counted = answerTo(await side.run(things, { kind: 'count', request: { filter: asked } }));
      expect(counted).toMatchObject({ metadata: { totalCount: expected.length } });
    }
  }
  const [query = {}] = drawn.filters;
  const spared = drawn.whos.map((_, n) => n).filter((n) => !naively(query, worlds[0]!.holding).includes(n));
  for (const {
    side,
    names: [, things = ''],
  } of worlds) {
    answerTo(await side.run(things, { kind: 'removeMany', query }));
    expect(await find(side, things, {}), `removed by ${JSON.stringify(query)}`).toEqual(spared);
  }
}

describeMongo('Filters through references', ({ standalone }) => {
  it('mean what they mean on embedded documents', { timeout: timeoutFor(RUNS) }, async () => {
    const stores = await openBothStores(standalone);
    let number = 0;
    const property = fc.asyncProperty(world, async (drawn) => {
      number += 1;
      await explore(stores, drawn, number);
    });
    await fc.assert(property, randomRuns(RUNS));
  });
});
