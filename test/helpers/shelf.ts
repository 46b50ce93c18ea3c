// A collection made over HTTP for one test of the whole application, and short ways to fill and ask it.
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import type { TestApp } from './app.ts';
import type { InjectAnswer } from './inject.ts';

type Parameters = Readonly<Record<string, Json>>;

export interface Shelf {
  readonly path: string;
  /** Creates the documents in one batch and resolves with them as they were answered. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  add(...documents: readonly JsonObject[]): Promise<any[]>;
  /** A read with query parameters; what is not text is sent as JSON. */
  get(parameters?: Parameters, below?: string): Promise<InjectAnswer>;
  /** The values of `name` in what `filter` finds, by `_id`. Throws when the answer is not 200. */
  find(filter: Json, parameters?: Parameters): Promise<readonly unknown[]>;
}

/** Query parameters as text, with the question mark. */
export function queryOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Posts a specification as admin and gives access to its documents. `name` is also the field that `find` tells. */
export async function makeShelf(
  app: TestApp,
  path: string,
  { fields, settings = {}, name = 'name' }: { fields: JsonObject; settings?: JsonObject; name?: string },
): Promise<Shelf> {
  const posted = await app.inject('POST', `${path}/config`, { body: { fields, settings } });
  if (posted.status !== 200) throw new Error(`no collection: ${posted.text}`);
  const get: Shelf['get'] = (parameters = {}, below = '') =>
    app.inject('GET', `${path}${below}${queryOf(parameters)}`);
  return {
    path,
    get,
    async add(...documents) {
      const { status, body, text } = await app.inject('POST', path, { body: documents });
      if (status !== 200) throw new Error(`not added: ${text}`);
      return body.results;
    },
    async find(filter, parameters = {}) {
      const { status, body, text } = await get({ sort: '_id', filter, ...parameters });
      if (status !== 200) throw new Error(`${status} ${text}`);
      return body.results.map((document: JsonObject) => document[name]);
    },
  };
}
