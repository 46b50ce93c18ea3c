// What one policy allows and another did not, in words. In doubt something counts as new: a reader looks at it once too often,
// never once too little.
import { formatBytes, formatNumber } from '../../time.tsx';
import {
  type CollectionGrant,
  DEFAULT_FETCH_BYTES,
  DEFAULT_FETCH_MS,
  DEFAULT_MAX_RESULTS,
  DEFAULT_REQUEST_HEADERS,
  DEFAULT_RESPONSE_HEADERS,
  type FetchGrant,
  ISOLATIONS,
  LIMITS,
  limitOf,
  type Policy,
} from './policy.ts';
import {
  bcryptWords,
  collectionWords,
  configOf,
  configWords,
  domainWords,
  fetchWords,
  isolationWords,
  limitWords,
  listed,
  roundsOf,
} from './words.ts';

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function collectionOpenings(after: readonly CollectionGrant[], before: readonly CollectionGrant[]): string[] {
  return after.flatMap((grant) => {
    const { name, actions, as = 'caller', maxResults = DEFAULT_MAX_RESULTS } = grant;
    const alike = before.filter((one) => one.name === name && (one.as ?? 'caller') === as);
    const covers = (action: string) =>
      alike.some(
        (one) => one.actions.includes(action) && (one.maxResults ?? DEFAULT_MAX_RESULTS) >= maxResults,
      );
    // The right to read covers getting one document, and nothing else covers another.
    const fresh = actions.filter((action) => !covers(action));
    return fresh.length === 0 ? [] : [collectionWords(grant, fresh)];
  });
}

const pathsOf = ({ paths = ['/'] }: FetchGrant) => paths;
const methodsOf = ({ methods = ['GET'] }: FetchGrant) => methods;

/** True where `wide` allows at least what `narrow` does with this method and path, and adds at least the same headers. */
function coversFetch(wide: FetchGrant, narrow: FetchGrant, method: string, path: string): boolean {
  const hasPath = pathsOf(wide).some((one) => one === path || (one.endsWith('/') && path.startsWith(one)));
  const hasHeaders = Object.entries(narrow.headers ?? {}).every(
    ([name, value]) => wide.headers?.[name] === value,
  );
  return (
    methodsOf(wide).includes(method) &&
    hasPath &&
    hasHeaders &&
    (wide.maxBytes ?? DEFAULT_FETCH_BYTES) >= (narrow.maxBytes ?? DEFAULT_FETCH_BYTES) &&
    (wide.timeoutMs ?? DEFAULT_FETCH_MS) >= (narrow.timeoutMs ?? DEFAULT_FETCH_MS)
  );
}

function fetchOpenings(after: readonly FetchGrant[], before: readonly FetchGrant[]): string[] {
  const openings = after.flatMap((grant) => {
    const alike = before.filter(({ origin }) => origin === grant.origin);
    const isKnown = (method: string, path: string) =>
      alike.some((one) => coversFetch(one, grant, method, path));
    const paths = pathsOf(grant).filter((path) => !methodsOf(grant).every((method) => isKnown(method, path)));
    const methods = methodsOf(grant).filter(
      (method) => !pathsOf(grant).every((path) => isKnown(method, path)),
    );
    return paths.length === 0 ? [] : [fetchWords({ ...grant, paths, methods })];
  });
  // The first grant that fits a request counts, so taking one away, or moving it, may open what a later one says.
  const origins = [...new Set(after.map(({ origin }) => origin))];
  const moved = origins.filter((origin) => {
    const then = before.filter((grant) => grant.origin === origin);
    const now = after.filter((grant) => grant.origin === origin);
    return then.length > 1 && !isSame(then, now);
  });
  return [
    ...openings,
    ...moved.map(
      (origin) =>
        `use several grants for ${origin} that are others, or in another order: the first that fits counts`,
    ),
  ];
}

function headerOpenings(policy: Policy, before: Policy): string[] {
  const seenBefore = before.grants?.request?.headers ?? DEFAULT_REQUEST_HEADERS;
  const sentBefore = before.grants?.response?.headers ?? DEFAULT_RESPONSE_HEADERS;
  const seen = (policy.grants?.request?.headers ?? DEFAULT_REQUEST_HEADERS).filter(
    (name) => !seenBefore.includes(name),
  );
  const sent = (policy.grants?.response?.headers ?? DEFAULT_RESPONSE_HEADERS).filter(
    (name) => !sentBefore.includes(name),
  );
  const body = policy.grants?.request?.maxBodyBytes ?? Number.POSITIVE_INFINITY;
  const bodyBefore = before.grants?.request?.maxBodyBytes ?? Number.POSITIVE_INFINITY;
  return [
    ...(seen.length === 0 ? [] : [`see the headers ${listed(seen)} of requests`]),
    ...(sent.length === 0 ? [] : [`set the headers ${listed(sent)} of answers`]),
    ...(body <= bodyBefore
      ? []
      : [
          `take bodies ${Number.isFinite(body) ? `of at most ${formatBytes(body)}` : 'as large as the server takes any'} (before: ${formatBytes(bodyBefore)})`,
        ]),
  ];
}

function limitOpenings(policy: Policy, before: Policy): string[] {
  return LIMITS.flatMap((name) => {
    const value = limitOf(policy, name);
    const was = limitOf(before, name);
    if (value <= was) return [];
    const shown = name.endsWith('Bytes') ? formatBytes(was) : formatNumber(was);
    return [`${limitWords(name, value)} (before: ${shown})`];
  });
}

/** Another value under a known name counts, too: the code does another thing with it. */
function configOpenings(policy: Policy, before: Policy): string[] {
  const known = new Map(configOf(before));
  return configOf(policy).flatMap((entry) =>
    isSame(entry[1], known.get(entry[0])) ? [] : configWords(entry),
  );
}

const bcryptOpenings = (policy: Policy, before: Policy): string[] =>
  roundsOf(policy) > roundsOf(before) ? [bcryptWords(roundsOf(policy))] : [];

const strength = (isolation: string = 'realm') => (ISOLATIONS as readonly string[]).indexOf(isolation);

/** Sentences about what `policy` allows and `before` did not; none: it opens nothing. */
export function openingsOf(policy: Policy, before: Policy): readonly string[] {
  const isWeaker = strength(policy.isolation) < strength(before.isolation);
  return [
    ...collectionOpenings(policy.grants?.collections ?? [], before.grants?.collections ?? []),
    ...fetchOpenings(policy.grants?.fetch ?? [], before.grants?.fetch ?? []),
    ...bcryptOpenings(policy, before),
    ...configOpenings(policy, before),
    ...headerOpenings(policy, before),
    ...limitOpenings(policy, before),
    ...(isWeaker ? [isolationWords(policy.isolation)] : []),
    ...(policy.trustDomain === before.trustDomain ? [] : [domainWords(policy.trustDomain)]),
  ].map(capital);
}
