// The collections with which another one can conflict are found as if it were compared with all of them.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { createNearCollections } from '../../../src/collections/model/near-collections.ts';
import { checkNameCase } from '../../../src/collections/specifications/cross-checks.ts';
import { parseSpecification } from '../../../src/collections/specifications/parse-specification.ts';
import { checkRevisionUse } from '../../../src/collections/specifications/revision-checks.ts';

const specification = fc.record({
  version: fc.constantFrom('1.0', '2.0', 'v1', 'V1'),
  database: fc.constantFrom('library', 'Library', 'shop'),
  name: fc.constantFrom('a', 'A', 'b', 'aHistory', 'B', 'c'),
  settings: fc.record(
    {
      storeRevisions: fc.boolean(),
      revisionCollection: fc.constantFrom('aHistory', 'a', 'B', 'old'),
      index: fc.constant({ keys: { title: 1 }, options: { unique: true } }),
      type: fc.constant('media'),
    },
    { requiredKeys: [] },
  ),
  model: fc.constantFrom(undefined, undefined, 'a', 'stored', 'Stored'),
});

type Drawn = typeof specification extends fc.Arbitrary<infer T> ? T : never;

function parsed({ version, database, name, settings, model }: Drawn, separate: boolean) {
  const source = { fields: { title: { type: 'String' } }, settings, ...(model !== undefined && { model }) };
  const options = { enableCollectionDatabases: separate };
  try {
    return [parseSpecification(source, { version, database, name }, options).collection];
  } catch {
    return [];
  }
}

const byPath = (a: Collection, b: Collection) => (a.path < b.path ? -1 : 1);

it('the checks of names and of revisions say the same of those that are near as of all others', () => {
  let conflicts = 0;
  fc.assert(
    fc.property(fc.array(specification, { minLength: 2, maxLength: 8 }), fc.boolean(), (list, separate) => {
      const found = new Map(
        list.flatMap((one) => parsed(one, separate)).map((one): [string, Collection] => [one.path, one]),
      );
      const all = createNearCollections();
      for (const one of found.values()) all.add(one);
      for (const one of found.values()) {
        const others = [...found.values()].filter(({ path }) => path !== one.path).sort(byPath);
        const near = all.near(one);
        const issues = [checkNameCase(one, others), checkRevisionUse(one, others)];
        expect([checkNameCase(one, near), checkRevisionUse(one, near)]).toEqual(issues);
        if (issues[0] !== undefined || checkRevisionUse(one, others).length > 0) conflicts += 1;
      }
    }),
    { numRuns: 300 },
  );
  expect(conflicts).toBeGreaterThan(100);
});

it('few of many collections are near one that has nothing to do with them', () => {
  const all = createNearCollections();
  const parse = (name: string) =>
    parseSpecification(
      { fields: { title: { type: 'String' } }, settings: { storeRevisions: true } },
      { version: '1.0', database: 'library', name },
      { enableCollectionDatabases: false },
    ).collection;
  const collections = Array.from({ length: 200 }, (_, n) => parse(`c${n}`));
  for (const one of collections) all.add(one);
  const counts = collections.map((one) => all.near(one).length);
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
});
