// Text that is no UTF-8, which only other programs can write: whatever is asked, the other documents are answered as without it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { randomRuns, timeoutFor } from '../contracts/random-runs.ts';
import { describeMongo, rawClient } from '../helpers/store/mongo-servers.ts';
import { insertRaw, NO_UTF8 } from '../helpers/store/raw-insert.ts';
import { settle } from './differential/picks.ts';
import { type Operation, operation } from './differential/requests.ts';
import { createSide, type Outcome } from './differential/side.ts';
import { body, PEOPLE, specification } from './differential/specifications.ts';
import { openBothStores } from './differential/stores.ts';

const RUNS = 10;
const ID = 'e'.repeat(24);

const world = fc.record({
  specification: specification('PEOPLE'),
  documents: fc.array(body, { minLength: 1, maxLength: 8 }),
  operations: fc.array(operation, { minLength: 30, maxLength: 40 }),
  fields: fc.subarray(['text', 'tags', 'exact', 'any', 'deep', 'when', 'nosuch'], { minLength: 1 }),
});

/** The answer without the document that only one of the stores has. */
function withoutOdd(outcome: Outcome): unknown {
  if (!('value' in outcome)) return outcome;
  const { results } = outcome.value as { readonly results?: readonly JsonObject[] };
  return results?.filter(({ _id }) => _id !== JSON.stringify(ID));
}

/** Whole lists: what is on a page, and what a limit leaves out, depends on how many there are. */
function asWholeList(step: Operation): Operation | undefined {
  if (step.kind !== 'list') return undefined;
  const { filter, sort, sortOrder, compose } = step.request;
  const asked = { filter, sort, sortOrder, compose, pageSize: 1000 };
  const request = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return { kind: 'list', request };
}

describeMongo('text that is no UTF-8', ({ standalone }) => {
  it('is in no other document’s way', { timeout: timeoutFor(RUNS, 10_000) }, async () => {
    const { sqlite, mongo, uri } = await openBothStores(standalone);
    const database = rawClient(uri).db();
    let number = 0;
    const property = fc.asyncProperty(
      world,
      async ({ specification: drawn, documents, operations, fields }) => {
        number += 1;
        const [people, things] = [`people${number}`, `things${number}`];
        // A unique index would tell the stores apart: only one of them has the odd document, which is known by its id.
        const { settings, ...rest } = JSON.parse(JSON.stringify(drawn).replace('PEOPLE', people));
        const source = {
          ...rest,
          settings: { ...settings, index: null, storeRevisions: false, fieldLimiters: null },
        };
        const sides = [sqlite, mongo].map(createSide);
        for (const side of sides) {
          await side.put(people, PEOPLE);
          await side.put(things, source);
          for (const document of documents)
            await side.run(things, { kind: 'create', body: document as Json });
        }
        const odd = { ...Object.fromEntries(fields.map((name) => [name, NO_UTF8])), v: 1 };
        const { ObjectId } = await import('mongodb');
        await insertRaw(standalone, { database: database.databaseName, collection: things }, [
          { _id: new ObjectId(ID), ...odd },
        ]);
        for (const generated of operations) {
          const step = asWholeList(
            settle(generated as unknown as Json, { bodies: documents, ids: [] }) as never,
          );
          if (step === undefined) continue;
          const [expected, found] = await Promise.all(sides.map((side) => side.run(things, step)));
          expect(withoutOdd(found as Outcome), JSON.stringify(step)).toEqual(withoutOdd(expected as Outcome));
        }
        await Promise.all([people, things].map((name) => database.collection(name).drop()));
      },
    );
    await fc.assert(property, randomRuns(RUNS));
  });
});
