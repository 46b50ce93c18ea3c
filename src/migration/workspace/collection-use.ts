// How a specification lets its collection be used: its hooks, and what needs no token.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { MigratedCollection } from '../site/site-contents.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** The method whose requests an event is part of. */
function methodOf(event: string): string {
  if (/Create$/.test(event)) return 'POST';
  if (/Update$/.test(event)) return 'PUT';
  return /Delete$/.test(event) ? 'DELETE' : 'GET';
}

/** The names in one member of `settings.hooks`: texts, or objects with options beside the name. */
function namesIn(list: Json): readonly string[] {
  const entries = Array.isArray(list) ? (list as readonly Json[]) : [list];
  return entries.flatMap((entry) => {
    const name = isJsonObject(entry) ? entry['hook'] : entry;
    return typeof name === 'string' ? [name] : [];
  });
}

/** `authenticate` lists the methods that need a token; true, as without it, means all. */
function openMethodsOf(authenticate: Json | undefined): ReadonlySet<string> {
  if (authenticate === false) return new Set(METHODS);
  const needing = Array.isArray(authenticate) ? (authenticate as readonly Json[]) : METHODS;
  return new Set(METHODS.filter((method) => !needing.includes(method)));
}

/** Reads it from the settings of a specification. */
export function readUse({
  settings,
}: JsonObject): Pick<MigratedCollection, 'hooks' | 'openHooks' | 'openMethods'> {
  const { hooks, authenticate } = isJsonObject(settings) ? settings : {};
  const openMethods = openMethodsOf(authenticate);
  const uses = Object.entries(isJsonObject(hooks) ? hooks : {}).flatMap(([event, list]) =>
    namesIn(list).map((name) => ({ name, isOpen: openMethods.has(methodOf(event)) })),
  );
  return {
    hooks: new Set(uses.map(({ name }) => name)),
    openHooks: new Set(uses.flatMap(({ name, isOpen }) => (isOpen ? [name] : []))),
    openMethods,
  };
}
