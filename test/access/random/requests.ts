// Generated requests. `own!3` stands for the id of a document of the collection that is asked, `ref!3` for one of the other.
import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../../../src/lib/json/json.ts';
import type { Model } from '../model/model.ts';
import type { ModelRequest } from '../model/requests.ts';
import { OTHER, OWNERS, SECRETS, TEAMS, TITLES } from './specifications.ts';

const own = fc.nat(30).map((at) => `own!${at}`);
const ref = fc.nat(30).map((at) => `ref!${at}`);

const values = {
  title: fc.constantFrom(...TITLES),
  open: fc.boolean(),
  team: fc.constantFrom(...TEAMS),
  rank: fc.integer({ min: 1, max: 4 }),
  owner: fc.constantFrom(...OWNERS),
  secret: fc.constantFrom(...SECRETS),
};

const some = <T extends Record<string, fc.Arbitrary<Json>>>(model: T) =>
  fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;

/** The number stands for one that nothing else has. */
const fresh = fc.constant(-1);

const subDocument = fc.oneof(
  fc.tuple(some(values), fresh).map(([body, serial]) => ({ ...body, serial }) as JsonObject),
  fc
    .tuple(some({ title: values.title, rank: values.rank, secret: values.secret }), ref)
    .map(([body, _id]) => ({ ...body, _id }) as JsonObject),
);

const reference: fc.Arbitrary<Json> = fc.oneof(
  { weight: 5, arbitrary: ref as fc.Arbitrary<Json> },
  { weight: 2, arbitrary: fc.uniqueArray(ref, { maxLength: 3 }) as fc.Arbitrary<Json> },
  { weight: 4, arbitrary: subDocument as fc.Arbitrary<Json> },
  { weight: 1, arbitrary: fc.tuple(ref, subDocument).map(([id, body]) => [id, body] as Json) },
);

/** Fields as a change may set them: also to nothing, and where every field may hold one, to a list. */
const changed = {
  ...values,
  title: fc.oneof({ weight: 6, arbitrary: values.title }, fc.constant(null)),
  owner: fc.oneof({ weight: 6, arbitrary: values.owner }, fc.constant(null)),
  team: fc.oneof(
    { weight: 3, arbitrary: values.team as fc.Arbitrary<Json> },
    fc.uniqueArray(values.team, { maxLength: 2 }) as fc.Arbitrary<Json>,
  ),
};

/** A few fields; all of a document would meet every closed field. */
const change = fc.oneof(
  { weight: 6, arbitrary: some(changed).map(few) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('title', 'open', 'team').map((name) => ({ $unset: [name] }) as JsonObject),
  },
  { weight: 3, arbitrary: reference.map((value) => ({ ref: value }) as JsonObject) },
);

function few(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).slice(0, 2));
}

export const newBody: fc.Arbitrary<JsonObject> = fc
  .tuple(some(values), fc.option(reference, { nil: undefined, freq: 3 }), fresh)
  .map(([body, value, serial]) => ({ ...body, ...(value === undefined ? {} : { ref: value }), serial }));

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  values.title.map((title) => ({ title })),
  values.title.map((title) => ({ title: { $ne: title } })),
  fc.constant<JsonObject>({ title: { $in: ['a', 'c'] } }),
  values.rank.map((rank) => ({ rank: { $gt: rank } })),
  values.rank.map((rank) => ({ rank: { $not: { $gt: rank } } })),
  values.open.map((open) => ({ open })),
  values.owner.map((owner) => ({ owner: { $eq: owner } })),
  values.secret.map((secret) => ({ secret })),
  ref.map((id) => ({ ref: id })),
  values.title.map((title) => ({ 'ref.title': title })),
  values.title.map((title) => ({ 'ref.title': { $ne: title } })),
  values.rank.map((rank) => ({ 'ref.rank': { $gt: rank } })),
  values.rank.map((rank) => ({ 'ref.rank': { $not: { $gt: rank } } })),
  values.secret.map((secret) => ({ 'ref.secret': { $in: [secret] } })),
  own.map((id) => ({ _id: id })),
  own.map((id) => ({ _id: { $ne: id } })),
  ref.map((id) => ({ 'ref._id': id })),
  values.title.map((title) => ({ 'ref.ref.title': title })),
  values.rank.map((rank) => ({ 'ref.ref.rank': { $not: { $gt: rank } } })),
  values.team.map((team) => ({ team: { $ne: team } })),
  fc.constantFrom<JsonObject>({ 'ref.v': { $gt: 1 } }, { 'ref.createdBy': { $ne: 'ann' } }),
  fc.constantFrom<JsonObject>({ createdBy: { $eq: 'ann' } }, { v: { $gt: 1 } }, { v: { $ne: 1 } }),
);

const filter: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('$and', '$or'), fc.array(leaf, { minLength: 1, maxLength: 3 }))
      .map(([name, all]) => ({ [name]: all })),
  },
);

const sort = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom('title', 'rank', 'owner', 'secret', 'open', 'v'), fc.constantFrom(1, -1)),
    { minLength: 1, maxLength: 2, selector: ([name]) => name },
  )
  .map((keys) => Object.fromEntries(keys) as Readonly<Record<string, 1 | -1>>);

const options = fc.record(
  {
    filter,
    sort,
    count: fc.integer({ min: 1, max: 4 }),
    page: fc.integer({ min: 1, max: 2 }),
    compose: fc.integer({ min: 1, max: 3 }),
    includeHistory: fc.boolean(),
  },
  { requiredKeys: [] },
);

const withoutPage = fc.record(
  { compose: fc.integer({ min: 1, max: 3 }), includeHistory: fc.boolean() },
  { requiredKeys: [] },
);

type Distributed = ModelRequest extends infer R ? (R extends unknown ? Omit<R, 'collection'> : never) : never;

const make = <K extends ModelRequest['kind']>(kind: K, record: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(record).map((rest) => ({ kind, ...rest }) as unknown as Distributed);

const ifMatch = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.integer({ min: 1, max: 3 }));

const request = fc.oneof(
  { weight: 9, arbitrary: make('list', { options }) },
  { weight: 3, arbitrary: make('count', { options: fc.record({ filter }, { requiredKeys: [] }) }) },
  { weight: 4, arbitrary: make('get', { id: own, options: withoutPage }) },
  { weight: 4, arbitrary: make('history', { id: own }) },
  { weight: 1, arbitrary: make('stats', {}) },
  { weight: 5, arbitrary: make('create', { bodies: fc.array(newBody, { minLength: 1, maxLength: 2 }) }) },
  { weight: 8, arbitrary: make('update', { id: own, body: change, ifMatch }) },
  { weight: 3, arbitrary: make('updateMany', { query: filter, update: some(values).map(few) }) },
  { weight: 2, arbitrary: make('delete', { id: own, ifMatch }) },
  { weight: 1, arbitrary: make('deleteMany', { query: filter }) },
  { weight: 3, arbitrary: make('restore', { id: own, revision: fc.nat(3) }) },
);

export const anyRequest: fc.Arbitrary<ModelRequest> = fc
  .tuple(request, fc.constantFrom('books', 'books', 'people'))
  .map(([generated, collection]) => {
    const defined = Object.entries(generated).filter(([, value]) => value !== undefined);
    return { ...Object.fromEntries(defined), collection } as unknown as ModelRequest;
  });

const UNKNOWN = 'f'.repeat(24);

/** Puts real ids in the place of what stands for them, and numbers on new documents. */
export function settle<T>(generated: T, collection: string, model: Model, nextSerial: () => number): T {
  const idsOf = (name: string) => {
    const { documents, revisions } = model.collections.get(name)!;
    return [...new Set([...documents.keys(), ...revisions.keys()])].toSorted();
  };
  const replace = (value: Json): Json => {
    if (typeof value === 'string' && /^(own|ref)!/.test(value)) {
      const ids = [...idsOf(value.startsWith('own') ? collection : (OTHER[collection] as string)), UNKNOWN];
      return ids[Number(value.slice(4)) % ids.length] as string;
    }
    if (Array.isArray(value)) return value.map((entry) => replace(entry as Json));
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, entry]) => [
      name,
      name === 'serial' && entry === -1 ? nextSerial() : replace(entry as Json),
    ]);
    return Object.fromEntries(members);
  };
  return replace(generated as Json) as T;
}
