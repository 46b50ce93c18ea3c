// Encodes a request as posted code sees it: plain data, with the granted headers only.
import type { GuestRequest } from '../../sandbox/protocol.ts';
import { createHeaderGrant, type HeaderGrant } from '../modules/policy/header-rules.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';
import type { EndpointRequest } from './types.ts';

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

/** Names and values of a query as WHATWG URL reads it. */
function pairsOf(text: string): Iterable<readonly [name: string, value: string]> {
  if (ESCAPED.test(text)) return new URLSearchParams(text);
  const pairs = text.split('&').filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const split = pair.indexOf('=');
    return split === -1 ? [pair, ''] : [pair.slice(0, split), pair.slice(split + 1)];
  });
}

function queryText(url: string, start: number): string {
  if (url[start] !== '?') return '{}';
  const hash = url.indexOf('#', start);
  const values = new Map<string, string[]>();
  for (const [name, value] of pairsOf(url.slice(start + 1, hash === -1 ? undefined : hash))) {
    const before = values.get(name);
    if (before === undefined) values.set(name, [value]);
    else before.push(value);
  }
  let text = '';
  for (const [name, [value = '', ...more]] of values) {
    text += `${text === '' ? '' : ','}${quote(name)}:`;
    text += more.length === 0 ? quote(value) : JSON.stringify([value, ...more]);
  }
  return `{${text}}`;
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
export function createRequestView() {
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
