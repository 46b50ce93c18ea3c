// The request that an endpoint serves, as hooks are told of it where the endpoint passes it on to `Model`.

import {
  type HookRequest,
  MAX_HOOK_BODY_CHARACTERS,
  MAX_HOOK_LIST_CHARACTERS,
} from '../collections/model/documents.ts';
import { type EndpointRequest, pairsText } from './messages.ts';

/** JSON text of what the endpoint has as `req.body`; undefined for a body that is too long for hooks. */
function bodyText({ type, text }: EndpointRequest['body']): string | undefined {
  if (type === 'none') return '{}';
  if (text.length > MAX_HOOK_BODY_CHARACTERS) return undefined;
  // Of JSON the server has checked the form already.
  if (type === 'json') {
    const isLong = text.length > MAX_HOOK_LIST_CHARACTERS && text.trimStart().startsWith('[');
    return isLong ? undefined : text;
  }
  const body = type === 'form' ? pairsText(text) : JSON.stringify(text);
  return body.length > MAX_HOOK_BODY_CHARACTERS ? undefined : body;
}

/** The request for hooks. `params`: those of the route of the endpoint. */
export function toHookRequest(
  request: EndpointRequest,
  params: Readonly<Record<string, string>>,
): HookRequest {
  const { method, url, headers, ip, client } = request;
  const body = bodyText(request.body);
  return { method, url, headers, ip, client, params, ...(body !== undefined && { body }) };
}
