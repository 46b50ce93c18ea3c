// The API description: OpenAPI 3.1 of what one caller may use, made of what the routes say about themselves, of the collections and of
// the endpoints that are in force. It is written as text piece by piece: of hundreds of collections it is megabytes long.

import { createYielder } from '../../lib/async/maybe-promise.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { ref } from '../../lib/json/schema-parts.ts';
import { COMPONENT_SCHEMAS } from './components.ts';
import {
  type DescribedApi,
  type DescribedPart,
  type DescriptionReader,
  describeCollection,
  describeModule,
  describeServer,
} from './described-parts.ts';

const DESCRIPTION =
  'What the caller may use: with another token there may be more or less. Errors have one envelope.';

const RESPONSES = {
  Error: {
    description: 'An error',
    content: { 'application/json': { schema: ref('Error') } },
  },
};
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token of `POST /token`' },
};

/** Examples may hold what looks like a reference, with any name. */
const REFERENCE = /"\$ref":"#\/components\/schemas\/([\w.-]+)["/]/g;

/** Characters of the whole. What is left out is told in its description, and schemas that are left out take any value. */
const MAX_CHARACTERS = 32_000_000;
/** Characters after which endpoints are described without what their code says of itself: 64 KB each. */
const MAX_ENDPOINT_CHARACTERS = 8_000_000;
const CUT = ' Parts are left out: there is more than one description may hold.';

type Members = Iterable<readonly [name: string, json: readonly string[]]>;

/** JSON of an object whose members are JSON already, in pieces: joined they are one text of megabytes. */
function* objectPieces(members: Members): Generator<string> {
  let before = '{';
  for (const [name, json] of members) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* json;
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** Collects operations, and the component schemas to which they refer, also through each other. */
class DescriptionText {
  readonly #api: DescribedApi;
  readonly #tags = new Set<string>();
  /** Operations by path and method. */
  readonly #paths = new Map<string, Map<string, string>>();
  readonly #schemas: Record<string, JsonObject> = { ...COMPONENT_SCHEMAS };
  /** Those that are referred to; their own references are found when they are written. */
  readonly #used = new Map<string, string | undefined>([['Error', undefined]]);
  #length = 0;
  #isCut = false;

  constructor(api: DescribedApi) {
    this.#api = api;
  }

  /** Characters so far. */
  get length(): number {
    return this.#length;
  }

  /** Notes that something is not described. */
  cut(): void {
    this.#isCut = true;
  }

  add({ entries, schemas }: DescribedPart): void {
    if (this.#length >= MAX_CHARACTERS) {
      this.#isCut ||= entries.length > 0;
      return;
    }
    Object.assign(this.#schemas, schemas);
    for (const { path, method, operation } of entries) {
      const methods = this.#paths.get(path) ?? new Map<string, string>();
      this.#paths.set(path, methods);
      if (methods.has(method)) continue;
      for (const tag of operation['tags'] as readonly string[]) this.#tags.add(tag);
      methods.set(method, this.#write(operation));
    }
  }

  /** Writes the schemas that are referred to, one at each step: also those that are found on the way. */
  *writeSchemas(): Generator<void> {
    for (const name of this.#used.keys()) {
      const schema = Object.hasOwn(this.#schemas, name) ? this.#schemas[name] : undefined;
      const isWritten = this.#length < MAX_CHARACTERS;
      this.#isCut ||= !isWritten;
      this.#used.set(name, this.#write((isWritten ? schema : undefined) ?? {}));
      yield;
    }
  }

  #write(value: JsonObject): string {
    const text = JSON.stringify(value);
    this.#length += text.length;
    for (const [, name = ''] of text.matchAll(REFERENCE)) {
      if (!this.#used.has(name)) this.#used.set(name, undefined);
    }
    return text;
  }

  /** The whole, in pieces. */
  *pieces(): Generator<string> {
    const { title, version, publicUrl } = this.#api;
    const head = {
      openapi: '3.1.1',
      info: { title, version, description: `${DESCRIPTION}${this.#isCut ? CUT : ''}` },
      servers: [{ url: publicUrl ?? '/' }],
      tags: [...this.#tags].map((name) => ({ name })),
    };
    const textOf = (json: string) => [json] as const;
    const paths = [...this.#paths].map(([path, methods]) => {
      const members = [...methods].map(([method, json]) => [method, textOf(json)] as const);
      return [path, [...objectPieces(members)]] as const;
    });
    const used = [...this.#used].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const schemas = used.map(([name, json = '{}']) => [name, textOf(json)] as const);
    const components = objectPieces([
      ['securitySchemes', textOf(JSON.stringify(SECURITY_SCHEMES))],
      ['responses', textOf(JSON.stringify(RESPONSES))],
      ['schemas', [...objectPieces(schemas)]],
    ]);
    const members = Object.entries(head).map(
      ([name, value]) => [name, textOf(JSON.stringify(value))] as const,
    );
    yield* objectPieces([...members, ['paths', [...objectPieces(paths)]], ['components', [...components]]]);
  }
}

/**
 * Describes what the caller may use, as pieces of JSON. The same state of the server gives the same text. Yields to the event loop
 * every few milliseconds: what is in force may change meanwhile.
 */
export async function describeApiInPieces(
  api: DescribedApi,
  reader: DescriptionReader,
): Promise<readonly string[]> {
  const yieldIfDue = createYielder();
  const text = new DescriptionText(api);
  text.add(describeServer(api, reader));
  for (const collection of api.registry.list()) {
    text.add(describeCollection(collection, api, reader));
    await yieldIfDue();
  }
  const before = text.length;
  for (const live of api.modules.list()) {
    const { openapi, ...generic } = live;
    const isTold = text.length - before < MAX_ENDPOINT_CHARACTERS;
    if (!isTold && openapi !== undefined) text.cut();
    text.add(describeModule(isTold ? live : generic, reader));
    await yieldIfDue();
  }
  for (const _ of text.writeSchemas()) await yieldIfDue();
  const pieces: string[] = [];
  for (const piece of text.pieces()) {
    pieces.push(piece);
    await yieldIfDue();
  }
  return pieces;
}
