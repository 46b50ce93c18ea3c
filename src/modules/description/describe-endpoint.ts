// The operations of an endpoint for an API description: what its code says of them, and what the server knows of itself.
import { identifierKey } from '../../lib/identifier-key.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { replaceUnprintable } from '../../lib/printable-text.ts';
import { type LiveModule, modulePath } from '../model/module-types.ts';
import { type PathPattern, parsePathPattern } from '../model/path-patterns.ts';
import {
  type DescribedBody,
  type DescribedOperation,
  type DescribedParameter,
  type DescribedResponse,
  mapOperationSchemas,
} from './described-operation.ts';
import { countReferences, rebaseReferences } from './schema-references.ts';

/** One operation of one path, in the form of OpenAPI 3.1. */
export interface EndpointOperation {
  /** In upper case. */
  readonly method: string;
  /** Template: `/1.0/isbn/{isbn}`. */
  readonly path: string;
  /** Unique among all endpoints, and the same for as long as the endpoint has its name. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: DescribedBody;
  readonly responses: { readonly [status: string]: DescribedResponse };
  /** Component schemas to which the operation refers as `#/components/schemas/<name>`; their names are its own. */
  readonly schemas: { readonly [name: string]: JsonObject };
}

interface PathTemplate {
  readonly path: string;
  readonly parameters: readonly DescribedParameter[];
  /** The path without the last parameter, which is optional. */
  readonly isShort: boolean;
}

const ANY_QUERY: DescribedParameter = {
  name: 'query',
  in: 'query',
  description: 'Any parameters: the code of the endpoint reads them.',
  schema: { type: 'object', additionalProperties: { type: 'string' } },
};

const ANY_BODY: DescribedBody = {
  description: 'What the code of the endpoint takes.',
  required: false,
  content: {
    'application/json': {},
    'application/x-www-form-urlencoded': { schema: { type: 'object' } },
    'text/plain': { schema: { type: 'string' } },
  },
};

const ANY_RESPONSE = { '2XX': { description: 'What the code of the endpoint answers.' } };

/** Characters. */
const MAX_SUMMARY = 200;
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The rule of a parameter as ECMA-262 reads it alike; a dot differs in which line ends it takes, some escapes are none there. */
function patternOf(rule: string | undefined): JsonObject {
  const withoutClasses = rule?.replace(/\[(?:\\.|[^\]])*\]|\\./g, '') ?? '.';
  if (withoutClasses.includes('.')) return {};
  try {
    return { pattern: new RegExp(`^(?:${rule})$`, 'u').source };
  } catch {
    return {};
  }
}

function templateOf(apiVersion: string, segments: PathPattern['segments'], isShort: boolean): PathTemplate {
  const texts = segments.map((segment) => (typeof segment === 'string' ? segment : `{${segment.name}}`));
  const parameters = segments.flatMap((segment): DescribedParameter[] => {
    if (typeof segment === 'string') return [];
    const schema = { type: 'string', ...patternOf(segment.rule) };
    return [{ name: segment.name, in: 'path', required: true, schema }];
  });
  return { path: ['', apiVersion, ...texts].join('/'), parameters, isShort };
}

/** OpenAPI has no optional parameters of a path: a route that ends in one is two paths. */
function templatesOf({ address, path }: LiveModule): readonly PathTemplate[] {
  if (address.kind === 'hook') return [];
  if (path === modulePath(address)) return [{ path, parameters: [], isShort: false }];
  const { segments, optional } = parsePathPattern(path, address.apiVersion);
  const whole = templateOf(address.apiVersion, segments, false);
  return optional ? [whole, templateOf(address.apiVersion, segments.slice(0, -1), true)] : [whole];
}

/** What the code says of the parameters that this path has, and those of the path of which it says nothing. */
function parametersOf(
  described: DescribedOperation,
  { parameters }: PathTemplate,
): readonly DescribedParameter[] {
  const given = described.parameters ?? [ANY_QUERY];
  const isHere = (parameter: DescribedParameter) =>
    parameter.in !== 'path' || parameters.some(({ name }) => name === parameter.name);
  const isTold = (name: string) =>
    given.some((parameter) => parameter.in === 'path' && parameter.name === name);
  return [...parameters.filter(({ name }) => !isTold(name)), ...given.filter(isHere)];
}

/** Moves schemas with references to components, so that the references hold in the whole document. */
function withComponents(operation: DescribedOperation, nameOf: (number: number) => string) {
  const schemas = new Map<string, JsonObject>();
  const moved = mapOperationSchemas(operation, (schema) => {
    if (countReferences(schema) === 0) return schema;
    const name = nameOf(schemas.size + 1);
    const base = `#/components/schemas/${name}`;
    const component = rebaseReferences(schema, base);
    const { $ref, $defs, ...others } = component;
    // Generators of clients make of a component that only refers to a part of itself a type that refers to itself.
    const isDefinition = $ref !== undefined && $defs !== undefined && Object.keys(others).length === 0;
    if (isDefinition && !JSON.stringify($defs).includes(`"${base}"`)) {
      schemas.set(name, { $defs });
      return { $ref };
    }
    schemas.set(name, component);
    return { $ref: base };
  });
  return { moved, schemas: Object.fromEntries(schemas) };
}

function describeOperation(live: LiveModule, method: string, template: PathTemplate): EndpointOperation {
  const { address, displayName, openapi } = live;
  const text = openapi?.[method];
  const key = identifierKey(modulePath(address));
  const word = `${method.slice(0, 1)}${method.slice(1).toLowerCase()}${template.isShort ? 'Short' : ''}`;
  const described = text === undefined ? {} : (JSON.parse(text) as DescribedOperation);
  const { moved, schemas } = withComponents(described, (number) => `call${word}Schema${number}_${key}`);
  const body = moved.requestBody ?? (METHODS_WITH_BODY.has(method) ? ANY_BODY : undefined);
  return {
    method,
    path: template.path,
    operationId: `call${word}_${key}`,
    summary: replaceUnprintable(moved.summary ?? '', MAX_SUMMARY) || `Call ${displayName ?? address.name}`,
    ...(moved.description === undefined ? {} : { description: moved.description }),
    parameters: parametersOf(moved, template),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: moved.responses ?? ANY_RESPONSE,
    schemas,
  };
}

/**
 * Describes the operations of an endpoint: one for each method and path, none for a hook or while no code of it is active. What its
 * code leaves out is generic: any query, any body for POST, PUT and PATCH, any answer.
 */
export function describeEndpoint(live: LiveModule): readonly EndpointOperation[] {
  return templatesOf(live).flatMap((template) =>
    live.methods.map((method) => describeOperation(live, method, template)),
  );
}
