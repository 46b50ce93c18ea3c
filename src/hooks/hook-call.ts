// Encodes what a hook gets beside the object it works on: JSON text of a `HookCall`.

import type { HookTask } from '../collections/hooks/document-hooks.ts';
import type { Collection } from '../collections/model/collection.ts';
import type { HookEvent, HookUse } from '../collections/model/hook-events.ts';
import type { EndpointRequest } from '../endpoints/message-views.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';

/** Encodes a request as posted code may see it under the grants of its policy: JSON text. */
export type RequestView = (
  moduleVersion: ModuleVersion,
  request: EndpointRequest,
  params: Readonly<Record<string, string>>,
) => string;

const NO_BODY: EndpointRequest['body'] = { type: 'none', text: '' };

function listName(event: HookEvent): 'updatedDocs' | 'deletedDocs' | undefined {
  if (event === 'beforeUpdate' || event === 'afterUpdate') return 'updatedDocs';
  return event === 'beforeDelete' || event === 'afterDelete' ? 'deletedDocs' : undefined;
}

/** Creates the function that encodes the call of a hook. */
export function createHookCallEncoder(requestView: RequestView) {
  const schemas = new WeakMap<Collection, string>();
  const schemaOf = (collection: Collection): string => {
    const known = schemas.get(collection) ?? JSON.stringify(collection.source['fields'] ?? {});
    schemas.set(collection, known);
    return known;
  };
  const requestOf = (moduleVersion: ModuleVersion, { context: { origin } }: HookTask): string => {
    if (origin?.http === undefined) return 'null';
    const { client, requestId, http } = origin;
    return requestView(moduleVersion, { ...http, client, requestId, body: NO_BODY }, {});
  };
  return (moduleVersion: ModuleVersion, use: HookUse, task: HookTask): string => {
    const { collection, event, documents } = task;
    const list = listName(event);
    const members = [
      `"collection":${JSON.stringify(collection.name)}`,
      `"schema":${schemaOf(collection)}`,
      `"req":${requestOf(moduleVersion, task)}`,
      ...(use.options === undefined ? [] : [`"options":${JSON.stringify(use.options)}`]),
      ...(list === undefined || documents === undefined ? [] : [`"${list}":[${documents.join(',')}]`]),
    ];
    return `{"type":"${event}","data":{${members.join(',')}}}`;
  };
}
