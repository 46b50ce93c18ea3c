// The visitor whom a request comes from, or whom the parameters of `…/decide` describe in its place.

import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { createParameterError } from '../../collections/model/read-parameters.ts';
import type { Visitor } from '../../delivery/model/delivery-types.ts';
import { isLanguageRange, parseNetworks } from '../../delivery/model/visitor-facts.ts';
import { parseQualityList } from '../../lib/http/quality-list.ts';
import type { ParameterDescription } from '../core/operation.ts';
import { parseTextParameter } from '../core/request-url.ts';

/** Characters of a value that stands for a header. */
const MAX_HEADER_LENGTH = 1000;
const MAX_NETWORK_LENGTH = 100;
const CONTROL = /\p{Cc}/u;

/** The visitor by the headers and the client address of a request. */
export function createVisitor({ headers, clientAddress }: FastifyRequest): Visitor {
  return {
    userAgent: headers['user-agent'] ?? '',
    acceptLanguage: headers['accept-language'] ?? '',
    ip: clientAddress,
  };
}

const isHeader = (text: string) => text.length <= MAX_HEADER_LENGTH && !CONTROL.test(text);

const isLanguageList = (text: string) =>
  isHeader(text) &&
  parseQualityList(text).every(({ value, quality }) => quality !== undefined && isLanguageRange(value));

const isNetwork = (text: string) =>
  text.length <= MAX_NETWORK_LENGTH && !CONTROL.test(text) && parseNetworks(text).length > 0;

interface VisitorParameter {
  /** In the query string. */
  readonly name: string;
  readonly member: keyof Visitor;
  readonly isValid: (text: string) => boolean;
  /** Words for what it must be. */
  readonly what: string;
  readonly description: string;
  readonly schema: ParameterDescription['schema'];
}

const PARAMETERS: readonly VisitorParameter[] = [
  {
    name: 'userAgent',
    member: 'userAgent',
    isValid: isHeader,
    what: `a text of at most ${MAX_HEADER_LENGTH} characters, without control characters`,
    description: 'In place of the header `User-Agent`; empty: none was sent',
    schema: { type: 'string', maxLength: MAX_HEADER_LENGTH },
  },
  {
    name: 'acceptLanguage',
    member: 'acceptLanguage',
    isValid: isLanguageList,
    what: `languages as in \`Accept-Language\`, such as \`fr, en-GB;q=0.5\`, in at most ${MAX_HEADER_LENGTH} characters`,
    description: 'In place of the header `Accept-Language`; empty: none was sent',
    schema: { type: 'string', maxLength: MAX_HEADER_LENGTH },
  },
  {
    name: 'address',
    member: 'ip',
    isValid: (text) => isIP(text) !== 0,
    what: 'an IPv4 or IPv6 address',
    description: 'In place of the address of the client: country and network are looked up for it',
    schema: { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
  },
  {
    name: 'country',
    member: 'country',
    isValid: (text) => /^[a-z]{2}$/i.test(text),
    what: 'the code of a country, such as `GB`',
    description: 'In place of what the address tells: a code of two letters',
    schema: { type: 'string', pattern: '^[A-Za-z]{2}$' },
  },
  {
    name: 'network',
    member: 'network',
    isValid: isNetwork,
    what: `a type of connection, such as \`cable\`, in at most ${MAX_NETWORK_LENGTH} characters`,
    description: 'In place of what the address tells: a type of connection',
    schema: { type: 'string', minLength: 1, maxLength: MAX_NETWORK_LENGTH },
  },
];

/** The parameters as the API description has them. */
export const VISITOR_PARAMETERS: readonly ParameterDescription[] = PARAMETERS.map(
  ({ name, description, schema }) => ({ in: 'query', name, description, schema }),
);

/**
 * The visitor whom the query string describes; what it leaves out is that of the request. Throws PARAMETER_INVALID, which names
 * the parameter.
 */
export function describedVisitor(request: FastifyRequest): Visitor {
  const given = PARAMETERS.flatMap(({ name, member, isValid, what }) => {
    const text = parseTextParameter(request.originalUrl, name);
    if (text === undefined) return [];
    if (!isValid(text)) throw createParameterError(name, `The \`${name}\` parameter must be ${what}`);
    return [[member, member === 'country' ? text.toUpperCase() : text] as const];
  });
  return { ...createVisitor(request), ...Object.fromEntries(given) };
}
