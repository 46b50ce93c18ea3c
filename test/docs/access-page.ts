// What docs/access.md shows: specifications with their paths, commands that make clients, other JSON, requests with what they answer.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

export const PAGE = readFileSync(join(ROOT, 'docs/access.md'), 'utf8');

const SPECIFICATION =
  /^`workspace\/collections\/([\d.]+)\/(\w+)\/collection\.(\w+)\.json`[^\n]*\n\n```json\n(.*?)^```$/gms;

/** By `version/database/name`. */
export function specificationsOf(page: string): Readonly<Record<string, JsonObject>> {
  const entries = [...page.matchAll(SPECIFICATION)].map(([, version, database, name, text = '']) => [
    `${version}/${database}/${name}`,
    JSON.parse(text) as JsonObject,
  ]);
  return Object.fromEntries(entries);
}

/** JSON that is no specification, by the name of its first member. */
export function otherJsonOf(page: string): ReadonlyMap<string, JsonObject> {
  const texts = [...page.replaceAll(SPECIFICATION, '').matchAll(/^```json\n(.*?)^```$/gms)];
  const objects = texts.map(([, text = '']) => JSON.parse(text) as JsonObject);
  return new Map(objects.map((object) => [Object.keys(object)[0] ?? '', object]));
}

export interface ShownClient {
  readonly clientId: string;
  readonly roles: readonly string[];
  readonly permissions?: JsonObject;
}

/** The clients that the commands of the page make, as the last one leaves them. */
export function clientsOf(page: string): readonly ShownClient[] {
  const commands = [...page.matchAll(/^cloister clients (?:add --id|set) (\w+)(.*?)(?:#.*)?$/gm)];
  const clients = commands.map(([, clientId = '', flags = '']): [string, ShownClient] => {
    const roles = [...flags.matchAll(/--role (\S+)/g)].map(([, role = '']) => role);
    const limits = flags.includes('--read-only') ? { permissions: { actions: ['read'] } } : {};
    return [clientId, { clientId, roles, ...limits }];
  });
  return [...new Map(clients).values()];
}

export interface ShownRequest {
  readonly heading: string;
  readonly line: string;
  readonly caller: string;
  readonly method: string;
  readonly target: string;
  readonly body: string | undefined;
  readonly status: number;
  /** What is said of the answer, such as `1 result`. */
  readonly facts: readonly string[];
}

const REQUEST = /^(\S+) +(GET|HEAD|POST|PUT|DELETE) +(\S+)(?: +(\S.*?))? +→ (\d{3})(?:, (.*))?$/;

function requestOf(line: string, heading: string): ShownRequest {
  const match = REQUEST.exec(line);
  if (match === null) throw new Error(`no request: ${line}`);
  const [, caller = '', method = '', target = '', body, status, facts] = match;
  return {
    heading,
    line,
    caller,
    method,
    target,
    body,
    status: Number(status),
    facts: facts?.split(', ') ?? [],
  };
}

/** The requests of the page in their order. */
export function requestsOf(page: string): readonly ShownRequest[] {
  return page.split(/^##+ /m).flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = [...section.matchAll(/^```text\n(.*?)^```$/gms)];
    return blocks.flatMap(([, text = '']) =>
      text
        .trim()
        .split('\n')
        .map((line) => requestOf(line, heading)),
    );
  });
}

export interface ShownNeed {
  readonly method: string;
  /** With `…` for the collection. */
  readonly path: string;
  /** Names of actions, or `admin`. */
  readonly needs: readonly string[];
}

/** The rows of the table of what each request needs; of each cell what comes before a comma in words. */
export function needsOf(page: string): readonly ShownNeed[] {
  const [, section = ''] = page.split('\n## What a request needs\n');
  return [...section.matchAll(/^\| `([A-Z]+)` \| `(…[^`]*)` \| (.*?) \|$/gm)].map(
    ([, method = '', path = '', cell = '']) => {
      const [needed = ''] = cell.split(/, of |, and |; /);
      return { method, path, needs: needed.replaceAll('`', '').split(', ') };
    },
  );
}
