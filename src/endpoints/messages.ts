// The request as JSON text for posted code, and the response of its result: both with the granted headers only.

import type { GuestRequest } from '../../sandbox/protocol.ts';
import type { Client } from '../auth/clients/client.ts';
import { parsePairs } from '../lib/http/parse-pairs.ts';
import { createHeaderGrant, type HeaderGrant, isFramingHeader } from '../modules/policy/grants.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';
import type { InvocationResult } from '../sandbox-supervisor/model/sandbox.ts';

/** A request as HTTP hands it over, its body already read and checked against the limits. */
export interface EndpointRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: { readonly type: 'none' | 'json' | 'form' | 'text'; readonly text: string };
  readonly client: Client | null;
  readonly ip: string;
  readonly requestId: string;
}

/** The response to send, every header checked. */
export interface EndpointResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Buffer;
}

type Headers = EndpointRequest['headers'];

const URL_END = /[?#]/;
/** A query with these characters has to be decoded. */
const ESCAPED = /[%+]/;
/** Text that JSON needs no escapes for. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

// Nearly every text of a request is plain, and a test is several times cheaper than JSON.stringify.
const quote = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** Where the query of a URL begins, or its length. */
function pathEnd(url: string): number {
  const end = url.search(URL_END);
  return end === -1 ? url.length : end;
}

/** Calls `take` with each name and value of a query, as WHATWG URL reads it. */
function forEachPair(query: string, take: (name: string, value: string) => void): void {
  if (ESCAPED.test(query)) {
    for (const [name, value] of parsePairs(query)) take(name, value);
    return;
  }
  let start = 0;
  while (start < query.length) {
    const next = query.indexOf('&', start);
    const end = next === -1 ? query.length : next;
    const pair = query.slice(start, end);
    const split = pair.indexOf('=');
    if (split !== -1) take(pair.slice(0, split), pair.slice(split + 1));
    else if (pair !== '') take(pair, '');
    start = end + 1;
  }
}

/** A query or form as a JSON object: a text for each name, a list of them for a name that is repeated. */
export function pairsText(query: string): string {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  forEachPair(query, (name, value) => {
    const before = values.get(name);
    if (before !== undefined) repeated.add(name);
    values.set(name, before === undefined ? quote(value) : `${before},${quote(value)}`);
  });
  let text = '';
  for (const [name, value] of values) {
    text += `${text === '' ? '' : ','}${quote(name)}:${repeated.has(name) ? `[${value}]` : value}`;
  }
  return `{${text}}`;
}

function queryText(url: string, start: number): string {
  if (url[start] !== '?') return '{}';
  const hash = url.indexOf('#', start);
  return pairsText(url.slice(start + 1, hash === -1 ? undefined : hash));
}

/** A grant, and the JSON text before the value of each of its names. */
interface HeaderTexts {
  readonly grant: HeaderGrant;
  readonly names: ReadonlyMap<string, string>;
}

function headersText(headers: Headers, { grant, names }: HeaderTexts): string {
  let text = '';
  const granted = grant.hasPatterns ? Object.keys(headers).filter(grant.allows) : grant.exact;
  for (const name of granted) {
    // A granted name such as `constructor` must not read an inherited member.
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (value === undefined) continue;
    text += text === '' ? '' : ',';
    text += names.get(name) ?? `${quote(name)}:`;
    text += quote(typeof value === 'string' ? value : value.join(', '));
  }
  return `{${text}}`;
}

function paramsText(params: GuestRequest['params']): string {
  for (const _ in params) return JSON.stringify(params);
  return '{}';
}

function clientText({ client }: EndpointRequest): string {
  if (client === null) return 'null';
  return JSON.stringify({ id: client.id, clientId: client.clientId, accessType: client.accessType });
}

/**
 * Creates the encoder of requests: JSON text of a `GuestRequest`. It joins texts, as it runs for each request and most of the
 * text is known before.
 */
export function createRequestEncoder() {
  const known = new WeakMap<ModuleVersion, HeaderTexts>();
  const headerTextsOf = (moduleVersion: ModuleVersion): HeaderTexts => {
    const before = known.get(moduleVersion);
    if (before !== undefined) return before;
    const grant = createHeaderGrant('request', moduleVersion.policy.grants.request.headers);
    const texts = { grant, names: new Map(grant.exact.map((name) => [name, `${quote(name)}:`])) };
    known.set(moduleVersion, texts);
    return texts;
  };
  return (moduleVersion: ModuleVersion, request: EndpointRequest, params: GuestRequest['params']): string => {
    const { method, url, body, ip } = request;
    const end = pathEnd(url);
    const quoted = quote(url);
    const path = end === url.length ? quoted : quote(url.slice(0, end));
    const headers = headersText(request.headers, headerTextsOf(moduleVersion));
    return (
      `{"method":"${method}","url":${quoted},"path":${path},"params":${paramsText(params)}` +
      `,"query":${queryText(url, end)},"headers":${headers},"bodyType":"${body.type}"` +
      `,"client":${clientText(request)},"ip":${quote(ip)}}`
    );
  };
}

type GuestResponse = Extract<InvocationResult, { readonly kind: 'response' }>;
type Header = EndpointResponse['headers'][number];

interface FilteredResponse {
  readonly response: EndpointResponse;
  /** Names of headers that the policy does not grant. */
  readonly dropped: readonly string[];
}

/** Sent unless a granted header replaces it: the response shares its origin with the whole API. */
const DEFAULT_CSP: Header = ['content-security-policy', 'sandbox'];

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

interface SentHeaders {
  readonly headers: readonly Header[];
  /** Names of headers that the policy does not grant. */
  readonly dropped: readonly string[];
}

function headersOf({ headers: lines, status }: GuestResponse, grant: HeaderGrant): SentHeaders {
  const headers: Header[] = [];
  const dropped: string[] = [];
  let hasPolicy = false;
  for (const [written, value] of lines) {
    const name = written.toLowerCase();
    if (isFramingHeader(name) || !(isOwn(name, status) || grant.allows(name))) dropped.push(name);
    else {
      add(headers, name, value);
      hasPolicy ||= name === DEFAULT_CSP[0];
    }
  }
  if (!hasPolicy) headers.push(DEFAULT_CSP);
  return { headers, dropped };
}

/** The response to HEAD: with the length of the body that GET would send (RFC 9110 8.6). */
function withoutBody(response: EndpointResponse): EndpointResponse {
  if (isBodiless(response.status)) return response;
  const length = String(Buffer.byteLength(response.body));
  return { ...response, headers: [...response.headers, ['content-length', length]], body: '' };
}

/** Creates the function that applies the grants of a module version to its result. */
export function createResponseFilter() {
  const grants = new WeakMap<ModuleVersion, HeaderGrant>();
  const grantOf = (moduleVersion: ModuleVersion): HeaderGrant => {
    const known =
      grants.get(moduleVersion) ??
      createHeaderGrant('response', moduleVersion.policy.grants.response.headers);
    grants.set(moduleVersion, known);
    return known;
  };
  /** Results that follow each other mostly have the same list of headers: the supervisor parses equal texts once. */
  let last:
    | (Pick<GuestResponse, 'headers' | 'status'> & { of: ModuleVersion; sent: SentHeaders })
    | undefined;
  const sentHeaders = (moduleVersion: ModuleVersion, result: GuestResponse): SentHeaders => {
    const { headers, status } = result;
    if (last?.of === moduleVersion && last.headers === headers && last.status === status) return last.sent;
    const sent = headersOf(result, grantOf(moduleVersion));
    last = { of: moduleVersion, headers, status, sent };
    return sent;
  };
  return (moduleVersion: ModuleVersion, method: string, result: GuestResponse): FilteredResponse => {
    const { headers, dropped } = sentHeaders(moduleVersion, result);
    const { status } = result;
    const response = { status, headers, body: isBodiless(status) ? '' : result.body };
    return { response: method === 'HEAD' ? withoutBody(response) : response, dropped };
  };
}
