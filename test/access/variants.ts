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

/** By the place in the list of `openVariants`. */
export const VARIANT_NAMES = [
  'the embedded database',
  'the embedded database with a cache',
  'MongoDB',
  'MongoDB with a cache',
] as const;

/** Starts all of them with these collections; `close` ends them and drops the database of each on the server at `uri`. */
export async function openVariants(
  uri: string,
  specs: Readonly<Record<string, JsonObject>> = {},
  config: JsonObject = {},
): Promise<{ readonly variants: readonly Variant[]; close(): Promise<void> }> {
  const opened: { readonly variant: Variant; readonly close: () => Promise<void> }[] = [];
  for (const [at, name] of VARIANT_NAMES.entries()) {
    const cache = at % 2 === 1;
    const database = at >= 2 ? createDatabase(uri) : undefined;
    const log: string[] = [];
    const app = await startApp({
      specs,
      log,
      config: { cache: { enabled: cache }, ...config },
      ...(database === undefined ? {} : { env: mongoEnvironment(database.uri) }),
    });
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
