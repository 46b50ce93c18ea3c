// Generated specifications, documents and requests on both stores at once: whatever a client sees must be the same.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { randomRuns, timeoutFor } from '../contracts/random-runs.ts';
import { describeMongo, rawClient } from '../helpers/store/mongo-servers.ts';
import { settle } from './differential/picks.ts';
import { type Operation, operation } from './differential/requests.ts';
import { createSide, type Outcome } from './differential/side.ts';
import { body, PEOPLE, peopleChange, person, specification } from './differential/specifications.ts';
import { openBothStores } from './differential/stores.ts';

/** Worlds on each server. */
const RUNS = 15;
const SPECIFICATIONS = 3;

const world = fc.record({
  people: fc.array(person, { minLength: 1, maxLength: 4 }),
  documents: fc.array(body, { minLength: 1, maxLength: 14 }),
  // One after the other over the same documents.
  eras: fc.array(
    fc.record({
      specification: specification('PEOPLE'),
      operations: fc.array(operation, { minLength: 8, maxLength: 12 }),
      peopleChange,
    }),
    { minLength: SPECIFICATIONS, maxLength: SPECIFICATIONS },
  ),
});

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const READS: ReadonlySet<Operation['kind']> = new Set(['list', 'count', 'get', 'history'] as const);

/** The ids of the documents that a create answered with. */
function idsIn(outcome: Outcome | undefined): readonly string[] {
  if (outcome === undefined || !('value' in outcome)) return [];
  const { results } = outcome.value as { readonly results: readonly { readonly _id: string }[] };
  return results.map(({ _id }) => JSON.parse(_id));
}

/** Runs one world on all stores, and compares them after every step. `number` tells its collections from those of others. */
async function explore(stores: readonly DocumentStore[], { people, documents, eras }: World, number: number) {
  const sides = stores.map(createSide);
  const [persons, things] = [`people${number}`, `things${number}`];
  const agree = (outcomes: readonly Outcome[], step: unknown) =>
    expect(outcomes[1], JSON.stringify(step)).toEqual(outcomes[0]);
  const ids: string[] = [];
  /** What is in force, by the name of the collection. */
  const inForce = new Map<string, JsonObject>();
  const run = async (name: string, generated: Operation) => {
    const step = settle(generated as unknown as Json, { bodies: documents, ids }) as unknown as Operation;
    const outcomes = await Promise.all(sides.map((side) => side.run(name, step)));
    agree(outcomes, step);
    if (name === things && step.kind === 'create') ids.push(...idsIn(outcomes[0]));
  };
  const put = async (name: string, source: JsonObject) => {
    const outcomes = await Promise.all(sides.map((side) => side.put(name, source)));
    agree(outcomes, source);
    if (outcomes[0] !== undefined && 'value' in outcomes[0]) inForce.set(name, source);
  };
  /** The same reads as before, on servers that have answered them and on ones that have just started: they must agree. */
  const askAgain = async (operations: readonly Operation[]) => {
    const fresh = stores.map(createSide);
    for (const [name, source] of inForce) for (const side of fresh) await side.put(name, source);
    for (const generated of operations.filter(({ kind }) => READS.has(kind))) {
      const step = settle(generated as unknown as Json, { bodies: documents, ids }) as unknown as Operation;
      const outcomes = await Promise.all([...sides, ...fresh].map((side) => side.run(things, step)));
      for (const outcome of outcomes) agree([outcomes[0] as Outcome, outcome], [step, [...inForce]]);
    }
  };
  await put(persons, PEOPLE);
  await run(persons, { kind: 'create', body: people });
  for (const [at, era] of eras.entries()) {
    const source = JSON.parse(JSON.stringify(era.specification).replace('PEOPLE', persons));
    // The first specification that comes must stand: its indexes have no data to mind yet.
    await put(things, source);
    if (at === 0) for (const document of documents) await run(things, { kind: 'create', body: document });
    for (const step of era.operations) await run(things, step);
    await put(persons, era.peopleChange);
    await askAgain(era.operations);
    await put(persons, PEOPLE);
  }
}

describeMongo('SQLite and MongoDB', ({ standalone, replicaSet }) => {
  it.each([
    ['a lone server', standalone],
    ['a replica set', replicaSet],
  ])('answer alike: %s', { timeout: timeoutFor(RUNS, 10_000) }, async (_name, server) => {
    const { sqlite, mongo, uri } = await openBothStores(server);
    let number = 0;
    const property = fc.asyncProperty(world, async (generated) => {
      number += 1;
      await explore([sqlite, mongo], generated, number);
      const names = [`people${number}`, `things${number}`, `things${number}History`];
      await Promise.all(names.map((name) => rawClient(uri).db().collection(name).drop()));
    });
    await fc.assert(property, randomRuns(RUNS));
  });
});
