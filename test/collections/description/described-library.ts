// A library beside the schemas that describe it to one of its callers.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { schemaNames } from '../../../src/collections/description/collection-key.ts';
import { createDocumentSchemas } from '../../../src/collections/description/document-schemas.ts';
import { type CollectionAccess, FULL_ACCESS } from '../../../src/collections/model/access.ts';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import type { Caller } from '../../../src/collections/model/documents.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../../src/lib/access-actions.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { FIELD_NAMES } from './generated-specifications.ts';

/** What a caller may not do with a collection. */
export interface Restriction {
  readonly hidden: readonly string[];
  readonly closed: readonly string[];
  readonly denied: readonly AccessAction[];
}

const names = fc.oneof(fc.constant([]), fc.subarray(FIELD_NAMES, { minLength: 1, maxLength: 2 }));

/** Restrictions of both collections, none for every other caller. */
export const RESTRICTIONS = fc.option(
  fc.record({
    books: fc.record({ hidden: names, closed: names, denied: fc.constant<AccessAction[]>([]) }),
    people: fc.record({
      hidden: names,
      closed: names,
      denied: fc.oneof(fc.constant<AccessAction[]>([]), fc.subarray([...ACCESS_ACTIONS])),
    }),
  }),
  { nil: {}, freq: 2 },
);

/** A caller with these restrictions, by names of collections. */
export function restrictedCaller(restrictions: Readonly<Record<string, Restriction>>): Caller {
  const known = new Map<string, CollectionAccess>();
  const accessTo = (name: string): CollectionAccess => {
    const restriction = restrictions[name];
    if (restriction === undefined) return FULL_ACCESS;
    const { hidden, closed, denied } = restriction;
    const refused = Object.fromEntries(denied.map((action) => [action, null]));
    const access: CollectionAccess = { ...FULL_ACCESS, ...refused };
    return {
      ...access,
      hidden: new Set(hidden),
      closed: new Set(closed),
      isRuled: true,
      findable: access.read,
      readKey: JSON.stringify(restriction),
    };
  };
  return {
    clientId: 'ann',
    access({ name }) {
      const access = known.get(name) ?? accessTo(name);
      known.set(name, access);
      return access;
    },
  };
}

export const FULL_CALLER = restrictedCaller({});

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export interface Validator {
  /** The component schemas of all collections. */
  readonly components: Readonly<Record<string, JsonObject>>;
  /** What is wrong with a value by a component schema, or undefined. */
  check(component: string, value: Json): string | undefined;
}

/** Validates by the schemas that describe the collections to the caller, each of which is a valid schema. */
export function validatorFor(
  collections: readonly Collection[],
  caller: Caller,
  registry = registryOf(collections),
): Validator {
  const described = collections.map((collection) => createDocumentSchemas(collection, { registry, caller }));
  const components = Object.assign({}, ...described.map((one) => one.components)) as Record<
    string,
    JsonObject
  >;
  const formats = { 'date-time': DATE_TIME, binary: true } as const;
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    formats,
  });
  ajv.addVocabulary(['components']);
  for (const [name, schema] of Object.entries(components)) {
    if (!ajv.validateSchema(schema)) throw new Error(`${name}: ${ajv.errorsText()}`);
  }
  ajv.addSchema({ $id: 'https://api.example/', components: { schemas: components } });
  return {
    components,
    check(component, value) {
      const validate = ajv.getSchema(`https://api.example/#/components/schemas/${component}`);
      if (validate === undefined) return `there is no ${component}`;
      return validate(value) ? undefined : ajv.errorsText(validate.errors);
    },
  };
}

function registryOf(collections: readonly Collection[]) {
  const registry = createCollectionRegistry();
  for (const collection of collections) registry.put(collection);
  return registry;
}

export const namesOf = (name: string) =>
  schemaNames({ path: `/1.0/library/${name}`, settings: { underscored: false } as Collection['settings'] });
