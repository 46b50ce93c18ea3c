// The API description: OpenAPI 3.1 of what one caller may use, made of what the routes say about themselves, of the collections and of
// the endpoints that are in force. It is written as text piece by piece: of hundreds of collections it is megabytes long.

import { createYielder } from '../../lib/async/maybe-promise.ts';
import type { JsonObject } from '../../lib/json/json.ts';
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
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  },
};
const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token of `POST /token`' },
};

const REFERENCE = /"\$ref":"#\/components\/schemas\/([^"/]+)/g;

/** JSON of an object whose members are JSON already. */
const objectText = (members: Iterable<readonly [name: string, json: string]>): string =>
  `{${[...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;

/** Collects operations, and the component schemas to which they refer, also through each other. */
class DescriptionText {
  readonly #api: DescribedApi;
  readonly #tags = new Set<string>();
  /** Operations by path and method. */
  readonly #paths = new Map<string, Map<string, string>>();
  readonly #schemas: Record<string, JsonObject> = { ...COMPONENT_SCHEMAS };
  /** Those that are referred to; their own references are found when they are written. */
  readonly #used = new Map<string, string | undefined>([['Error', undefined]]);

  constructor(api: DescribedApi) {
    this.#api = api;
  }

  add({ entries, schemas }: DescribedPart): void {
    Object.assign(this.#schemas, schemas);
    for (const { path, method, operation } of entries) {
      const methods = this.#paths.get(path) ?? new Map<string, string>();
      this.#paths.set(path, methods);
      if (methods.has(method)) continue;
      for (const tag of operation['tags'] as readonly string[]) this.#tags.add(tag);
      methods.set(method, this.#write(operation));
    }
  }

  /** Writes one more schema that is referred to; false when there is none. */
  writeSchema(): boolean {
    for (const [name, text] of this.#used) {
      if (text !== undefined) continue;
      this.#used.set(name, this.#write(this.#schemas[name] ?? {}));
      return true;
    }
    return false;
  }

  #write(value: JsonObject): string {
    const text = JSON.stringify(value);
    for (const [, name = ''] of text.matchAll(REFERENCE)) {
      if (!this.#used.has(name)) this.#used.set(name, undefined);
    }
    return text;
  }

  toString(): string {
    const { title, version, publicUrl } = this.#api;
    const head = {
      openapi: '3.1.1',
      info: { title, version, description: DESCRIPTION },
      servers: [{ url: publicUrl ?? '/' }],
      tags: [...this.#tags].map((name) => ({ name })),
    };
    const paths = [...this.#paths].map(([path, methods]) => [path, objectText(methods)] as const);
    const schemas = [...this.#used].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const components = objectText([
      ['securitySchemes', JSON.stringify(SECURITY_SCHEMES)],
      ['responses', JSON.stringify(RESPONSES)],
      ['schemas', objectText(schemas.map(([name, text]) => [name, text ?? '{}']))],
    ]);
    const members = Object.entries(head).map(([name, value]) => [name, JSON.stringify(value)] as const);
    return objectText([...members, ['paths', objectText(paths)], ['components', components]]);
  }
}

/**
 * Describes what the caller may use, as JSON. The same state of the server gives the same text. Yields to the event loop every few
 * milliseconds: what is in force may change meanwhile.
 */
export async function describeApi(api: DescribedApi, reader: DescriptionReader): Promise<string> {
  const yieldIfDue = createYielder();
  const text = new DescriptionText(api);
  for (const collection of api.registry.list()) {
    text.add(describeCollection(collection, api, reader));
    await yieldIfDue();
  }
  for (const live of api.modules.list()) {
    text.add(describeModule(live, reader));
    await yieldIfDue();
  }
  text.add(describeServer(api, reader));
  while (text.writeSchema()) await yieldIfDue();
  const whole = text.toString();
  await yieldIfDue();
  return whole;
}
