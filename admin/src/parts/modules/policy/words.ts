// What a policy lets code do, in words: one sentence for each grant, with its upper bound.
import type { Json } from '../../../api/types.ts';
import { formatBytes, formatNumber } from '../../time.tsx';
import {
  type CollectionGrant,
  DEFAULT_BCRYPT_ROUNDS,
  DEFAULT_FETCH_BYTES,
  DEFAULT_FETCH_MS,
  DEFAULT_MAX_RESULTS,
  DEFAULT_REQUEST_HEADERS,
  DEFAULT_RESPONSE_HEADERS,
  type FetchGrant,
  LIMITS,
  type LimitName,
  limitOf,
  type Policy,
} from './policy.ts';

const LIST = new Intl.ListFormat('en', { type: 'conjunction' });

export const listed = (words: readonly string[]): string => LIST.format(words);

const ACTION_WORDS: Readonly<Record<string, string>> = {
  find: 'read documents',
  count: 'count documents',
  create: 'create documents',
  update: 'change documents',
  delete: 'delete documents',
  stats: 'read statistics',
};

const actorWords = (as: string) =>
  as === 'caller'
    ? 'with the rights of whoever calls'
    : `with the rights of ${as.replace(/^client:/, 'the client ')}, whoever calls`;

/** `read documents of 1.0/library/books with the rights of whoever calls, at most 20 in one call` */
export function collectionWords(
  { name, actions, as = 'caller', maxResults = DEFAULT_MAX_RESULTS }: CollectionGrant,
  only: readonly string[] = actions,
): string {
  const what =
    only.length === 0 ? 'nothing yet' : listed(only.map((action) => ACTION_WORDS[action] ?? action));
  return `${what} of ${name === '' ? 'a collection' : name} ${actorWords(as)}, at most ${formatNumber(maxResults)} in one call`;
}

/** Characters of a value that are shown. */
const MAX_VALUE_CHARACTERS = 200;

/** The values of a policy, by name. */
export const configOf = ({ grants }: Policy): readonly (readonly [name: string, value: Json])[] =>
  typeof grants?.config === 'object' && grants.config !== null ? Object.entries(grants.config) : [];

/** `read email by Config.get: {"from":"library@example.com"}` */
export function configWords([name, value]: readonly [name: string, value: Json]): string {
  const text = JSON.stringify(value);
  const shown = text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
  return `read ${name} by Config.get: ${shown}`;
}

/** The rounds of `bcrypt` that a policy grants; 0 where it grants none. */
export const roundsOf = ({ grants }: Policy): number =>
  grants?.bcrypt === undefined ? 0 : (grants.bcrypt.maxRounds ?? DEFAULT_BCRYPT_ROUNDS);

export const bcryptWords = (rounds: number): string =>
  `hash passwords on a thread of the server, with at most ${formatNumber(rounds)} rounds`;

const pathWords = (path: string) => (path.endsWith('/') ? `everything below ${path}` : `exactly ${path}`);

/** `send GET requests to https://api.example.com, everything below /v1/; answers of at most 1.05 MB within 5,000 ms` */
export function fetchWords(grant: FetchGrant): string {
  const { origin, methods = ['GET'], paths = ['/'], headers = {} } = grant;
  const { maxBytes = DEFAULT_FETCH_BYTES, timeoutMs = DEFAULT_FETCH_MS } = grant;
  const added = Object.entries(headers).map(([name, value]) =>
    value.startsWith('secret:')
      ? `${name} with the secret ${value.slice('secret:'.length)}`
      : `${name}: ${value}`,
  );
  return [
    `send ${listed(methods)} requests to ${origin === '' ? 'a server' : origin}, ${listed(paths.map(pathWords))}`,
    ...(added.length === 0 ? [] : [`the server adds ${listed(added)}`]),
    `answers of at most ${formatBytes(maxBytes)} within ${formatNumber(timeoutMs)} ms`,
  ].join('; ');
}

const amounts: Readonly<Record<LimitName, (value: number) => string>> = {
  cpuMs: (value) => `use ${formatNumber(value)} ms of processor time for one request`,
  wallMs: (value) => `take ${formatNumber(value)} ms for one request`,
  heapMb: (value) => `use ${formatNumber(value)} MB of memory`,
  responseBytes: (value) => `answer ${formatBytes(value)}`,
  logBytes: (value) => `write ${formatBytes(value)} to its log for one request`,
  hostCalls: (value) => `call Model, fetch and bcrypt ${formatNumber(value)} times for one request`,
  concurrency: (value) => `work at ${formatNumber(value)} requests at a time`,
  perMinute: (value) =>
    Number.isFinite(value)
      ? `be called ${formatNumber(value)} times a minute`
      : 'be called as often as anyone likes',
};

export const limitWords = (name: LimitName, value: number): string => amounts[name](value);

export function isolationWords(isolation: string | undefined = 'realm'): string {
  if (isolation === 'isolate') return 'run each request with a heap of its own';
  return isolation === 'context'
    ? 'run each request with globals of its own'
    : 'run each request with a fresh evaluation of its text, beside frozen globals';
}

export const domainWords = (trustDomain: string | undefined): string =>
  trustDomain === undefined
    ? 'share its process with other code that names no trust domain, unless it holds a secret'
    : `share its process with other code of the trust domain ${trustDomain}`;

/** Everything that a policy grants, by kind. */
export function wordsOf(policy: Policy): readonly (readonly [kind: string, sentences: readonly string[]])[] {
  const { grants = {}, isolation, trustDomain } = policy;
  const { request = {}, response = {}, collections = [], fetch = [] } = grants;
  const config = configOf(policy);
  const seen = request.headers ?? DEFAULT_REQUEST_HEADERS;
  const sent = response.headers ?? DEFAULT_RESPONSE_HEADERS;
  const body =
    request.maxBodyBytes === undefined
      ? 'take bodies as large as the server takes any'
      : `take bodies of at most ${formatBytes(request.maxBodyBytes)}`;
  return [
    [
      'Collections',
      collections.length === 0 ? ['nothing'] : collections.map((grant) => collectionWords(grant)),
    ],
    ['Other services', fetch.length === 0 ? ['nothing'] : fetch.map(fetchWords)],
    ['Passwords', [roundsOf(policy) === 0 ? 'nothing' : bcryptWords(roundsOf(policy))]],
    ['Values', config.length === 0 ? ['nothing'] : config.map(configWords)],
    ['Requests', [`see the headers ${seen.length === 0 ? 'none' : listed(seen)}`, body]],
    ['Answers', [`set the headers ${sent.length === 0 ? 'none' : listed(sent)}`]],
    ['At most', LIMITS.map((name) => limitWords(name, limitOf(policy, name)))],
    ['Isolation', [isolationWords(isolation), domainWords(trustDomain)]],
  ];
}
