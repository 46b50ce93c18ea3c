// What a client of an older server may do from the fourth release on, as permissions: actions on collections, and endpoints.
import { ACCESS_ACTIONS, type AccessAction } from '../../lib/access-actions.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';

interface ResourcePermissions {
  readonly permissions: JsonObject;
  /** What is not carried over, in words for the operator. */
  readonly notes: readonly string[];
}

/** The parts of `collection:library_books`: databases and collections may have underscores in their names. */
function splitName(name: string, collections: ReadonlySet<string>): readonly [string, string] {
  let first: readonly [string, string] | undefined;
  for (let at = name.indexOf('_'); at !== -1; at = name.indexOf('_', at + 1)) {
    const parts = [name.slice(0, at), name.slice(at + 1)] as const;
    if (collections.has(parts[1])) return parts;
    first ??= parts;
  }
  return first ?? ['', name];
}

/** Who could read documents could read their history. */
const actionsOf = (access: JsonObject): readonly AccessAction[] =>
  ACCESS_ACTIONS.filter((action) => access[action === 'history' ? 'read' : action] === true);

/** Whether some action is permitted for some documents or fields only. */
const isLimited = (access: JsonObject) =>
  Object.entries(access).some(([name, value]) =>
    name.endsWith('Own') ? value !== false && value !== null : isJsonObject(value),
  );

/** Resources by their names; some releases stored them as a list. */
function namedResources(resources: Json | undefined): readonly (readonly [string, Json])[] {
  if (isJsonObject(resources)) return Object.entries(resources);
  if (!Array.isArray(resources)) return [];
  return resources.flatMap((one: Json) =>
    isJsonObject(one) && typeof one['name'] === 'string'
      ? [[one['name'], one['access'] ?? null] as const]
      : [],
  );
}

/** The permissions that the resources of a client amount to. Whatever is limited to some documents or fields is not permitted. */
export function permissionsOfResources(
  resources: Json | undefined,
  names: ReadonlySet<string>,
): ResourcePermissions {
  const collections: JsonObject[] = [];
  const endpoints: JsonObject[] = [];
  const limited: string[] = [];
  const others: string[] = [];
  for (const [resource, access] of namedResources(resources)) {
    const [kind = '', ...rest] = resource.split(':');
    const name = rest.join(':');
    const given = isJsonObject(access) ? access : {};
    if (isLimited(given)) limited.push(resource);
    const actions = actionsOf(given);
    const [before, after] = splitName(name, names);
    if (actions.length === 0) continue;
    if (kind === 'collection')
      collections.push({ path: after, ...(before === '' ? {} : { database: before }), actions });
    else if (kind === 'media') collections.push({ path: name, actions });
    else if (kind === 'endpoint' && before !== '') endpoints.push({ path: after, apiVersion: before });
    else others.push(resource);
  }
  const notes = [
    ...(limited.length === 0
      ? []
      : [`what is limited to some documents or fields is not permitted: ${limited.join(', ')}`]),
    ...(others.length === 0 ? [] : [`not carried over: ${others.join(', ')}`]),
  ];
  return { permissions: { collections, endpoints }, notes };
}
