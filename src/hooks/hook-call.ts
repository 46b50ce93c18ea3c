// What a hook is told beside the object in its hands: JSON text of a `HookCall`.

import type { HookTask } from '../collections/hooks/document-hooks.ts';
import type { Collection } from '../collections/model/collection.ts';
import type { HookEvent, HookUse } from '../collections/model/hook-events.ts';
import type { EndpointRequest } from '../endpoints/types.ts';
import type { ModuleVersion } from '../sandbox-supervisor/module-version.ts';

/** Writes a request as posted code may see it, held against the grants of its policy: JSON text. */
export type RequestView = (
  unit: ModuleVersion,
  request: EndpointRequest,
  params: Readonly<Record<string, string>>,
) => string;

const NO_BODY: EndpointRequest['body'] = { type: 'none', text: '' };

function listName(event: HookEvent): 'updatedDocs' | 'deletedDocs' | undefined {
  if (event === 'beforeUpdate' || event === 'afterUpdate') return 'updatedDocs';
  return event === 'beforeDelete' || event === 'afterDelete' ? 'deletedDocs' : undefined;
}

/** Makes the function that writes the head of a job of a hook. */
export function createHookCallEncoder(requestView: RequestView) {
  const schemas = new WeakMap<Collection, string>();
  const schemaOf = (collection: Collection): string => {
    const known = schemas.get(collection) ?? JSON.stringify(collection.source['fields'] ?? {});
    schemas.set(collection, known);
    return known;
  };
  const requestOf = (unit: ModuleVersion, { context: { origin } }: HookTask): string => {
    if (origin?.http === undefined) return 'null';
    const { client, requestId, http } = origin;
    return requestView(unit, { ...http, client, requestId, body: NO_BODY }, {});
  };
  return (unit: ModuleVersion, use: HookUse, task: HookTask): string => {
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
