// Generated rules, documents and requests of several callers: servers on both databases, with and without the cache of answers,
// answer as a plain model of the rules does, and hold what the model holds.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomRuns, timeoutFor } from '../contracts/random-runs.ts';
import { describeMongo } from '../helpers/store/mongo-servers.ts';
import { CALLER_NAMES } from './model/callers.ts';
import { anyRequest, newBody, settle } from './random/requests.ts';
import { createSide, Difference } from './random/side.ts';
import { specification } from './random/specifications.ts';
import { ALL_VARIANT_NAMES, openVariants, type Variant } from './variants.ts';

/** Worlds on each server, of two specifications and sixty requests each; every read is asked three times. */
const RUNS = 40;
/** What a cache answers is tried on one database: in front of the other it is only tried whether it knows what was changed. */
const FEW_RUNS = 10;

const step = fc.record({
  caller: fc.constantFrom(...CALLER_NAMES),
  other: fc.constantFrom(...CALLER_NAMES),
  request: anyRequest,
});

const world = fc.record({
  people: fc.array(newBody, { minLength: 3, maxLength: 5 }),
  books: fc.array(newBody, { minLength: 4, maxLength: 8 }),
  eras: fc.array(
    fc.record({
      books: specification('books'),
      people: specification('people'),
      steps: fc.array(step, { minLength: 30, maxLength: 30 }),
    }),
    { minLength: 2, maxLength: 2 },
  ),
});

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const READS: ReadonlySet<string> = new Set(['list', 'count', 'get', 'history', 'stats']);

async function explore(variant: Variant, { people, books, eras }: World): Promise<void> {
  const side = await createSide(variant);
  let serial = 0;
  const nextSerial = () => {
    serial += 1;
    return serial;
  };
  const settled = <T>(generated: T, collection: string) =>
    settle(generated, collection, side.model, nextSerial);
  for (const [at, era] of eras.entries()) {
    await side.specify('people', era.people);
    await side.specify('books', era.books);
    if (at === 0) {
      // In turn, so that references lead both ways.
      for (const [n, body] of [...people, ...books].entries()) {
        const collection = n % 2 === 0 ? 'people' : 'books';
        const request = { kind: 'create', collection, bodies: [settled(body, collection)] } as const;
        await side.ask('admin', request);
      }
    }
    for (const { caller, other, request: generated } of era.steps) {
      const request = settled(generated, generated.collection);
      await side.ask(caller, request);
      if (!READS.has(request.kind)) continue;
      // What a cache has kept for one of them is not for the other.
      await side.ask(other, request);
      await side.ask(caller, request);
    }
  }
  await side.clear();
}

describeMongo('Servers and the model', ({ replicaSet }) => {
  let variants: readonly Variant[] = [];
  let close = async () => {};
  beforeAll(async () => {
    ({ variants, close } = await openVariants(replicaSet, { names: ALL_VARIANT_NAMES }));
  });
  afterAll(() => close());

  it.each(ALL_VARIANT_NAMES.map((name, at) => [name, at] as const))(
    'agree on what callers may do: %s',
    {
      timeout: timeoutFor(RUNS, 60_000),
    },
    async (name, at) => {
      const runs = name === 'MongoDB with a cache' ? FEW_RUNS : RUNS;
      const variant = variants[at] as Variant;
      const property = fc.asyncProperty(world, (generated: World) => explore(variant, generated));
      const { failed, seed, counterexamplePath, errorInstance } = await fc.check(property, randomRuns(runs));
      if (!failed) return;
      // The whole world is pages long: the request that differs says more.
      if (errorInstance instanceof Difference)
        expect.fail(`${errorInstance.message}\n  seed ${seed}, ${counterexamplePath}`);
      throw errorInstance;
    },
  );
});
