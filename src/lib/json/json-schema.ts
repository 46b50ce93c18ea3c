// JSON Schema: the TypeScript type of a literal schema, and the strict validator.
import type { ErrorObject } from 'ajv';
import { didYouMean } from '../nearest-name.ts';

type Present = { readonly default: unknown } | { readonly type: 'object' };
type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

/** The TypeScript type that a schema literal (`as const`) describes. A member without a default may be absent unless it is required. */
export type Infer<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly oneOf: readonly (infer O)[] }
      ? Infer<O>
      : S extends { readonly type: 'array'; readonly items: infer I }
        ? readonly Infer<I>[]
        : S extends { readonly type: 'object'; readonly additionalProperties: infer M extends object }
          ? Readonly<Record<string, Infer<M>>>
          : S extends { readonly type: 'object'; readonly properties: infer P }
            ? {
                readonly [K in keyof P as P[K] extends Present ? K : Extract<K, RequiredOf<S>>]: Infer<P[K]>;
              } & {
                readonly [K in keyof P as P[K] extends Present ? never : Exclude<K, RequiredOf<S>>]?:
                  | Infer<P[K]>
                  | undefined;
              }
            : S extends { readonly type: 'string' }
              ? string
              : S extends { readonly type: 'number' | 'integer' }
                ? number
                : S extends { readonly type: 'boolean' }
                  ? boolean
                  : never;

/** An issue of a value. `path` is dotted, empty for the value itself. */
interface SchemaIssue {
  readonly path: string;
  readonly message: string;
}

/** A text format of schemas, and the message for a text that does not have it. */
export interface TextFormat {
  readonly test: (text: string) => boolean;
  readonly message: string;
}

interface SchemaValidatorOptions {
  /** Keywords of ours that describe and do not constrain. */
  readonly annotations: readonly string[];
  readonly formats: Readonly<Record<string, TextFormat>>;
}

export type SchemaValidator = (schema: object, value: unknown) => readonly SchemaIssue[];

const ARTICLES = new Map([
  ['array', 'a list'],
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['object', 'an object'],
  ['string', 'text'],
]);

const typeName = (type: unknown) => ARTICLES.get(String(type)) ?? String(type);

function messageOf(error: ErrorObject, formats: SchemaValidatorOptions['formats']): string {
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'type':
      return `must be ${[params['type']].flat().map(typeName).join(' or ')}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'format':
      return formats[String(params['format'])]?.message ?? 'has the wrong format';
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'minimum':
      return `must be ${params['limit']} or more`;
    case 'maximum':
      return `must be ${params['limit']} or less`;
    case 'maxItems':
      return `must have at most ${params['limit']} entries`;
    case 'minItems':
      return `must have at least ${params['limit']} ${params['limit'] === 1 ? 'entry' : 'entries'}`;
    case 'minProperties':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} members`;
    case 'uniqueItems':
      return 'must not name the same thing twice';
    case 'additionalProperties':
      return `is unknown${unknownHint(error)}`;
    case 'required':
      return 'is missing';
    default:
      return error.message ?? 'is not valid';
  }
}

/** The member that was probably meant; nothing where the schema names none. */
function unknownHint({ params, parentSchema }: ErrorObject): string {
  const { additionalProperty } = params as Readonly<Record<string, unknown>>;
  const known: unknown = parentSchema?.['properties'];
  const names = typeof known === 'object' && known !== null ? Object.keys(known) : [];
  return didYouMean(String(additionalProperty), names);
}

// Members that are missing, unknown or wrongly named have their own path.
function pathOf({ instancePath, params, propertyName }: ErrorObject): string {
  const keys = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { additionalProperty, missingProperty } = params as Readonly<Record<string, unknown>>;
  const member = additionalProperty ?? missingProperty ?? propertyName;
  return (member === undefined ? keys : [...keys, String(member)]).join('.');
}

/** Creates the strict validator. It is loaded on demand, as most starts have little to validate. Schemas are compiled once each. */
export async function createSchemaValidator({
  annotations,
  formats,
}: SchemaValidatorOptions): Promise<SchemaValidator> {
  const { Ajv } = await import('ajv');
  const tests = Object.fromEntries(Object.entries(formats).map(([name, { test }]) => [name, test]));
  // TypeScript checks our schemas; compiling the meta schema would cost every start 30 ms.
  const ajv = new Ajv({
    strict: true,
    allErrors: true,
    allowUnionTypes: true,
    formats: tests,
    meta: false,
    validateSchema: false,
    // Errors have the schema around them, which names the members that there are.
    verbose: true,
  });
  ajv.addVocabulary([...annotations]);
  return (schema, value) => {
    const validate = ajv.compile(schema);
    if (validate(value)) return [];
    // What is wrong with a name has an error of its own.
    const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'propertyNames');
    return errors.map((error) => ({ path: pathOf(error), message: messageOf(error, formats) }));
  };
}
