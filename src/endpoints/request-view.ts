// What posted code sees of a request: plain data, and of the headers only the granted ones.
import type { GuestRequest } from '../../sandbox/protocol.ts';
import type { EndpointRequest } from './calls.ts';
import { createHeaderGrant, type HeaderGrant } from './header-rules.ts';
import type { Unit } from './unit.ts';

type Headers = EndpointRequest['headers'];

const NO_QUERY: GuestRequest['query'] = {};

/** Where the query of a URL begins, or its length. */
function pathEnd(url: string): number {
  const end = url.search(/[?#]/);
  return end === -1 ? url.length : end;
}

function queryOf(url: string, start: number): GuestRequest['query'] {
  if (url[start] !== '?') return NO_QUERY;
  const hash = url.indexOf('#', start);
  const text = url.slice(start + 1, hash === -1 ? undefined : hash);
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (typeof before === 'string') query[name] = [before, value];
    else before.push(value);
  }
  return query;
}

function headersOf(headers: Headers, grant: HeaderGrant): Record<string, string> {
  const shown: Record<string, string> = Object.create(null);
  const names = grant.open ? Object.keys(headers).filter(grant.allows) : grant.exact;
  for (const name of names) {
    // A granted name such as `constructor` must not reach what every object inherits.
    if (!Object.hasOwn(headers, name)) continue;
    const value = headers[name];
    if (value !== undefined) shown[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return shown;
}

function clientOf({ client }: EndpointRequest): GuestRequest['client'] {
  if (client === null) return null;
  return { id: client.id, clientId: client.clientId, accessType: client.accessType };
}

/** Makes the function that writes the head of a job: JSON text of a `GuestRequest`. */
export function createRequestView() {
  const grants = new WeakMap<Unit, HeaderGrant>();
  const grantOf = (unit: Unit): HeaderGrant => {
    const known = grants.get(unit) ?? createHeaderGrant(unit.policy.grants.request.headers);
    grants.set(unit, known);
    return known;
  };
  return (unit: Unit, request: EndpointRequest, params: GuestRequest['params']): string => {
    const { method, url, body, ip } = request;
    const end = pathEnd(url);
    const seen: GuestRequest = {
      method,
      url,
      path: url.slice(0, end),
      params,
      query: queryOf(url, end),
      headers: headersOf(request.headers, grantOf(unit)),
      bodyType: body.type,
      client: clientOf(request),
      ip,
    };
    return JSON.stringify(seen);
  };
}
