// What a hook is told beside the object in its hands: JSON text of a `HookCall`.
import type { Collection } from '../collections/collection.ts';
import type { HookEvent, HookUse } from '../collections/hook-events.ts';
import type { HookTask } from '../collections/hooks.ts';
import type { EndpointRequest } from '../endpoints/calls.ts';
import type { Unit } from '../endpoints/unit.ts';

/** Writes a request as posted code may see it, held against the grants of its policy: JSON text. */
export type RequestView = (
  unit: Unit,
  request: EndpointRequest,
  params: Readonly<Record<string, string>>,
) => string;

const NO_BODY: EndpointRequest['body'] = { type: 'none', text: '' };

function listName(event: HookEvent): 'updatedDocs' | 'deletedDocs' | undefined {
  if (event === 'beforeUpdate' || event === 'afterUpdate') return 'updatedDocs';
  return event === 'beforeDelete' || event === 'afterDelete' ? 'deletedDocs' : undefined;
}

/** Makes the function that writes the head of a job of a hook. */
export function createHookCall(requestView: RequestView) {
  const schemas = new WeakMap<Collection, string>();
  const schemaOf = (collection: Collection): string => {
    const known = schemas.get(collection) ?? JSON.stringify(collection.source['fields'] ?? {});
    schemas.set(collection, known);
    return known;
  };
  const requestOf = (unit: Unit, { context: { origin } }: HookTask): string => {
    if (origin?.http === undefined) return 'null';
    const { client, requestId, http } = origin;
    return requestView(unit, { ...http, client, requestId, body: NO_BODY }, {});
  };
  return (unit: Unit, use: HookUse, task: HookTask): string => {
    const { collection, event, documents } = task;
    const list = listName(event);
    const members = [
      `"collection":${JSON.stringify(collection.name)}`,
      `"schema":${schemaOf(collection)}`,
      `"req":${requestOf(unit, task)}`,
      ...(use.options === undefined ? [] : [`"options":${JSON.stringify(use.options)}`]),
      ...(list === undefined || documents === undefined ? [] : [`"${list}":[${documents.join(',')}]`]),
    ];
    return `{"type":"${event}","data":{${members.join(',')}}}`;
  };
}
