// Turns a result of posted code into the response for the client: status and body, with the granted headers only.

import { createHeaderGrant, type HeaderGrant, isFramingHeader } from '../modules/policy/header-rules.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';
import type { InvocationResult } from '../sandbox-supervisor/model/sandbox.ts';
import type { EndpointResponse } from './types.ts';

type GuestResponse = Extract<InvocationResult, { readonly kind: 'response' }>;
type Header = EndpointResponse['headers'][number];

interface View {
  readonly response: EndpointResponse;
  /** Names of headers that the policy does not grant. */
  readonly dropped: readonly string[];
}

/** Sent unless a granted header replaces it: the response shares its origin with the whole API. */
const FENCE: Header = ['content-security-policy', 'sandbox'];

const isRedirect = (status: number) => status >= 300 && status < 400;
const isBodiless = (status: number) => status === 204 || status === 304;

/** `type()`, `json()` and `redirect()` set these headers: they need no grant. */
function isOwn(name: string, status: number): boolean {
  return name === 'content-type' || (name === 'location' && isRedirect(status));
}

/** A message has one of each: the last wins. Values of all other headers are joined to a list (RFC 9110 5.3). */
const SINGULAR: ReadonlySet<string> = new Set([
  'content-disposition',
  'content-security-policy',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'location',
  'x-content-type-options',
  'x-frame-options',
]);

/** Joins the values of one header, which follow each other. Cookies stay apart: they are not a list. */
function add(headers: Header[], name: string, value: string): void {
  const before = headers.at(-1);
  if (before?.[0] !== name || name === 'set-cookie') headers.push([name, value]);
  else headers[headers.length - 1] = [name, SINGULAR.has(name) ? value : `${before[1]}, ${value}`];
}

function headersOf({ headers: lines, status }: GuestResponse, grant: HeaderGrant) {
  const headers: Header[] = [];
  const dropped: string[] = [];
  let fenced = false;
  for (const [written, value] of lines) {
    const name = written.toLowerCase();
    if (isFramingHeader(name) || !(isOwn(name, status) || grant.allows(name))) dropped.push(name);
    else {
      add(headers, name, value);
      fenced ||= name === FENCE[0];
    }
  }
  if (!fenced) headers.push(FENCE);
  return { headers, dropped };
}

function bodyOf({ status, body }: GuestResponse, method: string, headers: Header[]): string | Buffer {
  if (isBodiless(status)) return '';
  if (method !== 'HEAD') return body;
  // The length of the body that GET would send (RFC 9110 8.6).
  headers.push(['content-length', String(Buffer.byteLength(body))]);
  return '';
}

/** Creates the function that applies the grants of a module version to its result. */
export function createResponseView() {
  const grants = new WeakMap<ModuleVersion, HeaderGrant>();
  const grantOf = (moduleVersion: ModuleVersion): HeaderGrant => {
    const known =
      grants.get(moduleVersion) ??
      createHeaderGrant('response', moduleVersion.policy.grants.response.headers);
    grants.set(moduleVersion, known);
    return known;
  };
  return (moduleVersion: ModuleVersion, method: string, answer: GuestResponse): View => {
    const { headers, dropped } = headersOf(answer, grantOf(moduleVersion));
    const body = bodyOf(answer, method, headers);
    return {
      response: { status: answer.status, headers, body },
      dropped,
    };
  };
}
