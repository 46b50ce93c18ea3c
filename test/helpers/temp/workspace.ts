// A workspace with its data folder and database that exist for one test: embedded, or on the MongoDB server of the project's setup.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../src/lib/json/json.ts';

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
function withEngine(config: JsonObject, cwd: string): JsonObject {
  const server = mongoOfWorkspaces();
  if (server === undefined) return config;
  const uri = withDatabase(server, basename(cwd));
  const database = isJsonObject(config['database']) ? config['database'] : {};
  return { ...config, database: { engine: 'mongodb', mongodb: { uri }, ...database } };
}

/** Time for database work that a machine which stalls keeps to as well, unless the configuration says what it has. */
function withPatience(config: JsonObject): JsonObject {
  const limits = isJsonObject(config['limits']) ? config['limits'] : {};
  return { ...config, limits: { queryMs: 60_000, ...limits } };
}

export interface Workspace {
  /** The run directory: `workspace/` and `data/` lie in it. */
  readonly cwd: string;
  readonly path: string;
  /** Lays down the specification of `version/database/name`. */
  specify(address: string, spec: JsonObject): void;
  remove(): void;
}

/** How the folders of this process's workspaces are named, and their databases where the tests run on a server. */
export const WORKSPACE_PREFIX = `cloister-test-${process.pid}-`;

/** `specs` is keyed by `version/database/name`. Data go to `data/` unless `config` says otherwise. */
export function createWorkspace(
  specs: Readonly<Record<string, JsonObject>> = {},
  config: JsonObject = {},
): Workspace {
  const cwd = mkdtempSync(join(tmpdir(), WORKSPACE_PREFIX));
  const path = join(cwd, 'workspace');
  const write = (name: string, value: JsonObject) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), `${JSON.stringify(value, null, 2)}\n`);
  };
  write('config.json', withPatience(withEngine(config, cwd)));
  const specify = (address: string, spec: JsonObject) => {
    const [version, database, name] = address.split('/');
    write(join('collections', `${version}`, `${database}`, `collection.${name}.json`), spec);
  };
  for (const [address, spec] of Object.entries(specs)) specify(address, spec);
  return { cwd, path, specify, remove: () => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }) };
}
