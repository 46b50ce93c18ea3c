// Registry of live modules, used at every request: an exact path is one look-up, and so is a path of something else.
import type { CollectionRegistry } from '../../collections/model/collection.ts';
import { pathSegments } from '../../lib/http/path-segments.ts';
import {
  type EndpointMatch,
  type LiveModule,
  type ModuleAddress,
  type ModuleRegistry,
  moduleKey,
  modulePath,
  RESERVED_ENDPOINT_NAMES,
} from './module-types.ts';
import {
  ENDPOINT_SUB_RESOURCES,
  type EndpointPaths,
  matchPathPattern,
  type PathPattern,
} from './path-patterns.ts';

export interface WritableModuleRegistry extends ModuleRegistry {
  /** Adds or replaces. `pattern` is the parsed path pattern of an endpoint. */
  put(live: LiveModule, pattern: PathPattern | undefined): void;
  remove(address: ModuleAddress): void;
  /** Keeps the address of a removed module, whose versions can still be read. */
  keepRemoved(address: ModuleAddress): void;
  /** By key: `endpoint:1.0/report`. */
  findByKey(key: string): LiveModule | undefined;
  /** Every endpoint with its path pattern. */
  endpointPaths(): readonly EndpointPaths[];
}

interface RegistryEntry {
  readonly live: LiveModule;
  readonly pattern: PathPattern | undefined;
  /** The match of a call on exactly its path, created once: most requests are these. */
  readonly call: EndpointMatch;
}

/** The path patterns of one version, by their first segment; those that begin with a parameter are `open`. */
interface VersionPatterns {
  readonly literal: Map<string, RegistryEntry[]>;
  readonly open: RegistryEntry[];
}

const NONE = Object.freeze(Object.create(null)) as Readonly<Record<string, string>>;
const NO_SUB: readonly string[] = [];
const SUBS: ReadonlySet<string> = new Set(ENDPOINT_SUB_RESOURCES);

const byPath = (a: LiveModule, b: LiveModule) => (a.path < b.path ? -1 : 1);

// Paths where collections and endpoints are posted: no path pattern takes them, not even before one exists.
function isConfigPath(segments: readonly string[]): boolean {
  return segments.at(-1) === 'config' && (segments.length === 3 || segments.length === 4);
}

function indexPatterns(entries: Iterable<RegistryEntry>): Map<string, VersionPatterns> {
  const index = new Map<string, VersionPatterns>();
  const withPattern = [...entries].filter(({ pattern }) => pattern !== undefined);
  for (const entry of withPattern.sort((a, b) => byPath(a.live, b.live))) {
    const { address } = entry.live;
    if (address.kind !== 'endpoint') continue;
    const patterns: VersionPatterns = index.get(address.apiVersion) ?? { literal: new Map(), open: [] };
    index.set(address.apiVersion, patterns);
    const [first] = entry.pattern?.segments ?? [];
    if (typeof first !== 'string') patterns.open.push(entry);
    else patterns.literal.set(first, [...(patterns.literal.get(first) ?? []), entry]);
  }
  return index;
}

/** Creates the registry. Collections win over path patterns and sub-resources: they may be posted after the endpoint. */
export function createModuleRegistry(collections: Pick<CollectionRegistry, 'get'>): WritableModuleRegistry {
  const entries = new Map<string, RegistryEntry>();
  const endpoints = new Map<string, RegistryEntry>();
  /** Endpoints that were removed, by the same paths. */
  const removed = new Map<string, LiveModule>();
  let patterns: Map<string, VersionPatterns> | undefined;
  let sorted: readonly LiveModule[] | undefined;
  let paths: readonly EndpointPaths[] | undefined;

  const forget = (address: ModuleAddress) => {
    const known = entries.get(moduleKey(address));
    entries.delete(moduleKey(address));
    if (address.kind === 'endpoint') endpoints.delete(modulePath(address));
    sorted = undefined;
    paths = undefined;
    if (known?.pattern !== undefined) patterns = undefined;
  };

  const patternsOf = (version: string): VersionPatterns | undefined => {
    patterns ??= indexPatterns(entries.values());
    return patterns.get(version);
  };

  // Most requests are for collections: their paths are not split.
  const isForeign = (path: string): boolean => {
    const second = path.indexOf('/', 1);
    const third = path.indexOf('/', second + 1);
    if (second < 0 || path.includes('%')) return second < 0;
    const own = third < 0 ? undefined : path.slice(0, third);
    if (own !== undefined && (endpoints.has(own) || removed.has(own))) return false;
    const known = patternsOf(path.slice(1, second));
    if (known === undefined || known.open.length > 0) return known === undefined;
    return !known.literal.has(path.slice(second + 1, third < 0 ? undefined : third));
  };

  const byPattern = (segments: readonly string[]): EndpointMatch | undefined => {
    const [version = '', first = ''] = segments;
    const known = patternsOf(version);
    if (known === undefined || isConfigPath(segments)) return undefined;
    if (segments.length === 2 && RESERVED_ENDPOINT_NAMES.includes(first)) return undefined;
    if (collections.get(version, first, segments[2] ?? '') !== undefined) return undefined;
    for (const entry of [...(known.literal.get(first) ?? []), ...known.open]) {
      const params = entry.pattern && matchPathPattern(entry.pattern, segments.slice(1));
      if (params !== undefined) return { endpoint: entry.live, params, sub: NO_SUB };
    }
    return undefined;
  };

  const bySegments = (segments: readonly string[]): EndpointMatch | undefined => {
    const [version = '', name = '', sub = ''] = segments;
    const isPlain = !version.includes('/') && !name.includes('/');
    const entry = isPlain ? endpoints.get(`/${version}/${name}`) : undefined;
    if (entry !== undefined && segments.length === 2 && entry.pattern === undefined) return entry.call;
    if (entry !== undefined && SUBS.has(sub) && collections.get(version, name, sub) === undefined) {
      return { endpoint: entry.live, params: NONE, sub: segments.slice(2) };
    }
    const gone = isPlain && sub === 'versions' ? removed.get(`/${version}/${name}`) : undefined;
    if (gone !== undefined && collections.get(version, name, sub) === undefined) {
      return byPattern(segments) ?? { endpoint: gone, params: NONE, sub: segments.slice(2) };
    }
    return byPattern(segments);
  };

  return {
    match(path) {
      if (endpoints.size === 0 && removed.size === 0) return undefined;
      const known = endpoints.get(path);
      if (known !== undefined && known.pattern === undefined) return known.call;
      if (isForeign(path)) return undefined;
      const segments = pathSegments(path);
      return segments && bySegments(segments);
    },
    get: (address) => entries.get(moduleKey(address))?.live,
    findByKey: (key) => entries.get(key)?.live,
    list() {
      sorted ??= [...entries.values()].map(({ live }) => live).sort(byPath);
      return sorted;
    },
    endpointPaths() {
      paths ??= [...endpoints.values()].flatMap(({ live: { address }, pattern }) =>
        address.kind === 'endpoint' ? [{ address, pattern }] : [],
      );
      return paths;
    },
    put(live, pattern) {
      forget(live.address);
      const entry: RegistryEntry = { live, pattern, call: { endpoint: live, params: NONE, sub: NO_SUB } };
      entries.set(moduleKey(live.address), entry);
      removed.delete(modulePath(live.address));
      if (live.address.kind === 'endpoint') endpoints.set(modulePath(live.address), entry);
      if (pattern !== undefined) patterns = undefined;
    },
    remove: forget,
    keepRemoved(address) {
      if (address.kind === 'hook') return;
      // Requests for its versions use nothing but the address.
      const nothing = { methods: [], authenticate: true, postedBy: null, postedAt: 0 };
      removed.set(modulePath(address), { address, path: modulePath(address), state: 'broken', ...nothing });
    },
  };
}
