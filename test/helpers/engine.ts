// Which database the workspaces of this test run use: the embedded one, or the MongoDB server that a project's setup names.
import { basename } from 'node:path';

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

/** What the environment of a server says of its database: nothing for the embedded one. */
export function engineEnvironment(cwd: string): Readonly<Record<string, string>> {
  const uri = mongoOfWorkspaces();
  if (uri === undefined) return {};
  return mongoEnvironment(withDatabase(uri, basename(cwd)));
}
