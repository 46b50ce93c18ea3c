// A workspace and a data folder that exist for one test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { withEngine } from './engine.ts';

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
  write('config.json', withEngine(config, cwd));
  const specify = (address: string, spec: JsonObject) => {
    const [version, database, name] = address.split('/');
    write(join('collections', `${version}`, `${database}`, `collection.${name}.json`), spec);
  };
  for (const [address, spec] of Object.entries(specs)) specify(address, spec);
  return { cwd, path, specify, remove: () => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }) };
}
