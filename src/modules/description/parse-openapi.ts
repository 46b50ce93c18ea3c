// Parses what the code of an endpoint exports as `openapi`. An operation with an issue is left out, and a warning names the place;
// the others stay. The text comes from a sandbox host: it is measured before it is parsed, and is data to the end.
import { findJsonIssue, isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { scanJson } from '../../lib/json/json-scan.ts';
import { createSchemaValidator, type SchemaValidator } from '../../lib/json/json-schema.ts';
import { pathParameterNames } from '../model/path-patterns.ts';
import { type DescribedOperation, mapOperationSchemas } from './described-operation.ts';
import { OPERATION_FORMATS, OPERATION_SCHEMA } from './operation-schema.ts';
import { countReferences, referenceIssues, strayReferences } from './schema-references.ts';

/** Of the JSON text. */
const MAX_BYTES = 65_536;
const MAX_DEPTH = 40;
/** Counted as a scan counts them: names twice, and long ones more. */
const MAX_VALUES = 50_000;
/** Of one operation: in the API description each has the name of a component, which may be long. */
const MAX_REFERENCES = 200;
const MAX_WARNINGS = 10;

/** JSON text of the operation of a method, by method in upper case. */
export type OperationTexts = Readonly<Record<string, string>>;

interface ParsedDescription {
  /** Undefined where nothing valid is described. */
  readonly operations: OperationTexts | undefined;
  /** Each names a place, such as `openapi.GET.parameters[0].in`, and what is wrong there. */
  readonly warnings: readonly string[];
}

interface DescribedModule {
  /** Methods with a handler. */
  readonly methods: readonly string[];
  /** Custom route as the author wrote it. */
  readonly route: string | null;
}

export interface DescriptionParser {
  /** `text`: JSON text, null where nothing is exported. */
  parse(text: string | null, module: DescribedModule): Promise<ParsedDescription>;
}

const NOTHING: ParsedDescription = { operations: undefined, warnings: [] };

interface Issue {
  /** Keys, joined by dots. */
  readonly path: string;
  readonly message: string;
}

/** The place as JavaScript writes it. */
function formatPlace(keys: readonly string[]): string {
  const path = keys.filter((key) => key !== '').join('.');
  return `openapi.${path}`.replace(/\.(\d+)(?=\.|$)/g, '[$1]').replace(/\.$/, '');
}

function parseText(text: string): JsonObject | string {
  if (Buffer.byteLength(text) > MAX_BYTES) return 'openapi has more than 64 KB of JSON';
  const { depth, values } = scanJson(Buffer.from(text));
  if (depth > MAX_DEPTH) return `openapi is nested deeper than ${MAX_DEPTH} levels`;
  if (values > MAX_VALUES) return 'openapi has too many values';
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : 'openapi must be an object of operations by method';
  } catch {
    return 'openapi is no JSON';
  }
}

function* parameterIssues(
  { parameters = [] }: DescribedOperation,
  names: readonly string[],
): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, { name, in: place, required }] of parameters.entries()) {
    const path = `parameters.${index}`;
    // Names of headers ignore case.
    const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
    if (seen.has(key)) yield { path, message: 'is there twice' };
    seen.add(key);
    if (place !== 'path') continue;
    if (!names.includes(name)) yield { path: `${path}.name`, message: 'is no parameter of the route' };
    if (required !== true)
      yield { path: `${path}.required`, message: 'must be true for a parameter of the path' };
  }
}

function schemaIssues(operation: DescribedOperation): readonly Issue[] {
  const issues: Issue[] = [];
  const schemas: JsonObject[] = [];
  let references = 0;
  mapOperationSchemas(operation, (schema, at) => {
    schemas.push(schema);
    references += countReferences(schema);
    for (const { keys, message } of referenceIssues(schema)) {
      issues.push({ path: [...at, ...keys, '$ref'].join('.'), message });
    }
    return schema;
  });
  if (references > MAX_REFERENCES) return [{ path: '', message: `has more than ${MAX_REFERENCES} \`$ref\`` }];
  for (const { keys, message } of strayReferences(operation as JsonObject, schemas)) {
    issues.push({ path: [...keys, '$ref'].join('.'), message });
  }
  return issues;
}

function findIssues(value: unknown, check: SchemaValidator, names: readonly string[]): readonly Issue[] {
  const json = findJsonIssue(value);
  if (json !== undefined) return [json];
  const shape = check(OPERATION_SCHEMA, value);
  if (shape.length > 0) return shape;
  const operation = value as DescribedOperation;
  return [...parameterIssues(operation, names), ...schemaIssues(operation)];
}

function withLimit(warnings: readonly string[]): readonly string[] {
  if (warnings.length <= MAX_WARNINGS) return warnings;
  const more = warnings.length - MAX_WARNINGS + 1;
  return [...warnings.slice(0, MAX_WARNINGS - 1), `openapi has ${more} more issues`];
}

/** Creates the parser. The schema validator is loaded at the first description. */
export function createDescriptionParser(): DescriptionParser {
  let validator: Promise<SchemaValidator> | undefined;
  return {
    async parse(text, { methods, route }) {
      if (text === null) return NOTHING;
      const described = parseText(text);
      if (typeof described === 'string') return { operations: undefined, warnings: [described] };
      validator ??= createSchemaValidator({ annotations: [], formats: OPERATION_FORMATS });
      const check = await validator;
      const names = route === null ? [] : pathParameterNames(route);
      const operations = new Map<string, string>();
      const warnings: string[] = [];
      for (const [key, operation] of Object.entries(described)) {
        const method = key.toUpperCase();
        if (!methods.includes(method) || operations.has(method)) {
          warnings.push(
            `${formatPlace([key])} ${operations.has(method) ? 'is there twice' : 'is no method of this endpoint'}`,
          );
          continue;
        }
        const issues = findIssues(operation, check, names);
        if (issues.length === 0) operations.set(method, JSON.stringify(operation));
        for (const { path, message } of issues) warnings.push(`${formatPlace([key, path])} ${message}`);
      }
      return {
        operations: operations.size === 0 ? undefined : Object.fromEntries(operations),
        warnings: withLimit(warnings),
      };
    },
  };
}
