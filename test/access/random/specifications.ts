// Generated specifications of two collections that refer to each other: rules, their conditions, and access of fields.
import fc from 'fast-check';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { ACTIONS, type ModelField, type ModelSpecification, type Rule } from '../model/world.ts';

export const TITLES = ['a', 'A', 'b', 'c'];
export const OWNERS = ['ann', 'ANN', 'editor', 'plain'];
export const TEAMS = ['editors', 'staff', 'other'];
export const SECRETS = ['x', 'y'];

/** The other collection, to which the references of one lead. */
export const OTHER: Readonly<Record<string, string>> = { books: 'people', people: 'books' };

const callerNames = fc.constantFrom('anyone', 'clients', 'editors', 'client:ann', 'staff', 'client:plain');
const callerLists = fc.uniqueArray(callerNames, { maxLength: 2 });
/** Of rules: so that much is allowed to somebody. */
const to = fc.oneof(
  fc.constantFrom('anyone', 'clients', 'clients'),
  callerNames,
  fc.uniqueArray(callerNames, { minLength: 1, maxLength: 2 }),
);

const CONDITIONS: readonly JsonObject[] = [
  { open: true },
  { owner: { $caller: 'clientId' } },
  { createdBy: { $caller: 'clientId' } },
  { owner: { $ne: { $caller: 'clientId' } } },
  { owner: { $not: { $eq: { $caller: 'clientId' } } } },
  { team: { $in: { $caller: 'roles' } } },
  { rank: { $gt: 2 } },
  { rank: { $ne: 3 } },
  { title: 'a' },
  { title: { $in: ['a', 'b'] } },
  { v: { $gt: 1 } },
  { secret: { $ne: 'x' } },
  { $or: [{ open: true }, { owner: { $eq: { $caller: 'clientId' } } }] },
  { $and: [{ rank: { $gt: 1 } }, { title: { $ne: 'c' } }] },
  { lastModifiedBy: { $ne: 'admin' } },
  { createdAt: { $gt: '2020-01-01T00:00:00.000Z' } },
  { owner: { $not: { $in: ['editor', 'plain'] } } },
  { team: { $ne: 'other' } },
  { _id: { $ne: 'f'.repeat(24) } },
];

const where = fc.constantFrom(...CONDITIONS);

const rule: fc.Arbitrary<Rule> = fc.oneof(fc.record({ to }), {
  weight: 2,
  arbitrary: fc.record({ to, where }),
});

const rules = fc.oneof(
  { weight: 1, arbitrary: fc.constant<readonly Rule[] | undefined>(undefined) },
  { weight: 1, arbitrary: fc.constant<readonly Rule[] | undefined>([]) },
  { weight: 12, arbitrary: fc.array(rule, { minLength: 1, maxLength: 3 }) },
);

const access = fc
  .tuple(...ACTIONS.map(() => rules))
  .map((lists) =>
    Object.fromEntries(
      ACTIONS.map((action, at) => [action, lists[at]] as const).filter(([, list]) => list !== undefined),
    ),
  );

const fieldAccess = fc.oneof(
  { weight: 6, arbitrary: fc.constant<ModelField['access']>(undefined) },
  { weight: 1, arbitrary: fc.record({ read: callerLists }) },
  { weight: 1, arbitrary: fc.record({ write: callerLists }) },
  { weight: 1, arbitrary: fc.record({ read: callerLists, write: callerLists }) },
);

/** A specification of the collection `name`. */
export function specification(name: string): fc.Arbitrary<ModelSpecification> {
  return fc
    .record({
      access: fc.oneof({ weight: 6, arbitrary: access }, { weight: 1, arbitrary: fc.constant(undefined) }),
      isOpen: fc.nat(5),
      fields: fc.tuple(fieldAccess, fieldAccess, fieldAccess, fieldAccess),
    })
    .map(({ access, isOpen, fields: [rank, owner, secret, ref] }) => {
      const field = (type: string, own?: ModelField['access']): ModelField => ({
        type,
        ...(own === undefined ? {} : { access: own }),
      });
      return {
        fields: {
          serial: field('Number'),
          title: field('String'),
          open: field('Boolean'),
          team: field('String'),
          rank: field('Number', rank),
          owner: field('String', owner),
          secret: field('String', secret),
          ref: { ...field('Reference', ref), collection: OTHER[name] as string },
        },
        ...(access === undefined ? {} : { access }),
        authenticate: access !== undefined || isOpen > 0,
        storeRevisions: name === 'books',
      };
    });
}
