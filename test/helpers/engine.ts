// Which database the workspaces of this test run use: the embedded one, or the MongoDB server that a project's setup names.
import { basename } from 'node:path';
import { isJsonObject, type JsonObject } from '../../src/lib/json/json.ts';

const SERVER = 'TEST_DOCUMENT_SERVER';

/** The MongoDB server of this process's workspaces, if it is that. */
export const mongoOfWorkspaces = (): string | undefined => process.env[SERVER];

/** From now on every workspace of this process has a database of its own on this server. */
export function useMongo(uri: string): void {
  process.env[SERVER] = uri;
}

/** A connection string with another database in it. */
export function withDatabase(uri: string, name: string): string {
  const [, server, options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]*)\/?[^?]*(\?.*)?$/.exec(uri) ?? [];
  if (server === undefined) throw new Error('no connection string');
  return `${server}/${name}${options}`;
}

/** What makes a server use this database. */
export const mongoEnvironment = (uri: string): Readonly<Record<string, string>> => ({
  CLOISTER_DATABASE_ENGINE: 'mongodb',
  CLOISTER_DATABASE_MONGODB_URI: uri,
});

/** The configuration of a workspace with the database that this test run is about: the embedded one needs no word. */
export function withEngine(config: JsonObject, cwd: string): JsonObject {
  const server = mongoOfWorkspaces();
  if (server === undefined) return config;
  const uri = withDatabase(server, basename(cwd));
  const database = isJsonObject(config['database']) ? config['database'] : {};
  return { ...config, database: { engine: 'mongodb', mongodb: { uri }, ...database } };
}
