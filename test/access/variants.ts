// The servers that must treat callers alike: on the embedded database and on MongoDB, with and without the cache of answers.
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createDatabase } from '../helpers/store/mongo-servers.ts';
import { mongoEnvironment } from '../helpers/temp/workspace.ts';

export interface Variant {
  readonly name: string;
  readonly app: TestApp;
  /** What it logged. */
  readonly log: readonly string[];
}

/**
 * The servers of every table of cases, by the place in the list of `openVariants`. The cache lies in front of either database and
 * knows no more of it than which collections a commit changed: what it answers is tried on one.
 */
export const VARIANT_NAMES = [
  'the embedded database',
  'MongoDB',
  'the embedded database with a cache',
] as const;

/** With the cache in front of MongoDB too, for generated requests. */
export const ALL_VARIANT_NAMES = [...VARIANT_NAMES, 'MongoDB with a cache'] as const;

/** What a write does is behind the cache: such cases need no server that has one. */
export const UNCACHED_NAMES = VARIANT_NAMES.slice(0, 2);

interface OpenOptions {
  readonly specs?: Readonly<Record<string, JsonObject>>;
  readonly config?: JsonObject;
  readonly names?: readonly (typeof ALL_VARIANT_NAMES)[number][];
}

/** Starts servers with these collections; `close` ends them and drops the database of each on the server at `uri`. */
export async function openVariants(
  uri: string,
  { specs = {}, config = {}, names = VARIANT_NAMES }: OpenOptions = {},
): Promise<{ readonly variants: readonly Variant[]; close(): Promise<void> }> {
  const opened: { readonly variant: Variant; readonly close: () => Promise<void> }[] = [];
  for (const name of names) {
    const cache = name.endsWith('with a cache');
    const database = name.startsWith('MongoDB') ? createDatabase(uri) : undefined;
    const log: string[] = [];
    const app = await startApp({
      specs,
      log,
      config: { cache: { enabled: cache }, ...config },
      ...(database === undefined ? {} : { env: mongoEnvironment(database.uri) }),
    });
    // On a busy machine a start may listen before it is done, and answers 503 until then.
    await app.app.started;
    const close = async () => {
      await app.close();
      await database?.drop();
    };
    opened.push({ variant: { name, app, log }, close });
  }
  return {
    variants: opened.map(({ variant }) => variant),
    async close() {
      for (const { close } of opened) await close();
    },
  };
}
