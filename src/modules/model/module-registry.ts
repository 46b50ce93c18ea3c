// Registry of live modules, used at every request: an exact path is one look-up, and so is a path of something else.
import type { CollectionRegistry } from '../../collections/model/collection.ts';
import { pathSegments } from '../../lib/http/path-segments.ts';
import {
  ENDPOINT_SUB_RESOURCES,
  matchRoute,
  type RoutedEndpoint,
  type RoutePattern,
} from './custom-routes.ts';
import {
  type EndpointMatch,
  type LiveModule,
  type ModuleAddress,
  type ModuleRegistry,
  moduleKey,
  modulePath,
  RESERVED_ENDPOINT_NAMES,
} from './module-types.ts';

export interface WritableModuleRegistry extends ModuleRegistry {
  /** Adds or replaces. `route` is the parsed custom route of an endpoint. */
  put(live: LiveModule, route: RoutePattern | undefined): void;
  remove(address: ModuleAddress): void;
  /** Keeps the address of a removed module, whose versions can still be read. */
  keepRemoved(address: ModuleAddress): void;
  /** By key: `endpoint:1.0/report`. */
  findByKey(key: string): LiveModule | undefined;
  /** Every endpoint with its route. */
  routedEndpoints(): readonly RoutedEndpoint[];
}

interface RegistryEntry {
  readonly live: LiveModule;
  readonly route: RoutePattern | undefined;
  /** The match of a call on exactly its path, created once: most requests are these. */
  readonly call: EndpointMatch;
}

/** The custom routes of one version, by their first segment; those that begin with a parameter are `open`. */
interface VersionRoutes {
  readonly literal: Map<string, RegistryEntry[]>;
  readonly open: RegistryEntry[];
}

const NONE = Object.freeze(Object.create(null)) as Readonly<Record<string, string>>;
const NO_SUB: readonly string[] = [];
const SUBS: ReadonlySet<string> = new Set(ENDPOINT_SUB_RESOURCES);

const byPath = (a: LiveModule, b: LiveModule) => (a.path < b.path ? -1 : 1);

// Paths where collections and endpoints are posted: no custom route takes them, not even before one exists.
function isConfigPath(segments: readonly string[]): boolean {
  return segments.at(-1) === 'config' && (segments.length === 3 || segments.length === 4);
}

function indexRoutes(entries: Iterable<RegistryEntry>): Map<string, VersionRoutes> {
  const index = new Map<string, VersionRoutes>();
  const routed = [...entries].filter(({ route }) => route !== undefined);
  for (const entry of routed.sort((a, b) => byPath(a.live, b.live))) {
    const { address } = entry.live;
    if (address.kind !== 'endpoint') continue;
    const routes: VersionRoutes = index.get(address.apiVersion) ?? { literal: new Map(), open: [] };
    index.set(address.apiVersion, routes);
    const [first] = entry.route?.segments ?? [];
    if (typeof first !== 'string') routes.open.push(entry);
    else routes.literal.set(first, [...(routes.literal.get(first) ?? []), entry]);
  }
  return index;
}

/** Creates the registry. Collections win over custom routes and sub-resources: they may be posted after the endpoint. */
export function createModuleRegistry(collections: Pick<CollectionRegistry, 'get'>): WritableModuleRegistry {
  const entries = new Map<string, RegistryEntry>();
  const endpoints = new Map<string, RegistryEntry>();
  /** Endpoints that were removed, by the same paths. */
  const removed = new Map<string, LiveModule>();
  let routes: Map<string, VersionRoutes> | undefined;
  let sorted: readonly LiveModule[] | undefined;
  let routed: readonly RoutedEndpoint[] | undefined;

  const forget = (address: ModuleAddress) => {
    const known = entries.get(moduleKey(address));
    entries.delete(moduleKey(address));
    if (address.kind === 'endpoint') endpoints.delete(modulePath(address));
    sorted = undefined;
    routed = undefined;
    if (known?.route !== undefined) routes = undefined;
  };

  const routesOf = (version: string): VersionRoutes | undefined => {
    routes ??= indexRoutes(entries.values());
    return routes.get(version);
  };

  // Most requests are for collections: their paths are not split.
  const isForeign = (path: string): boolean => {
    const second = path.indexOf('/', 1);
    const third = path.indexOf('/', second + 1);
    if (second < 0 || path.includes('%')) return second < 0;
    const own = third < 0 ? undefined : path.slice(0, third);
    if (own !== undefined && (endpoints.has(own) || removed.has(own))) return false;
    const known = routesOf(path.slice(1, second));
    if (known === undefined || known.open.length > 0) return known === undefined;
    return !known.literal.has(path.slice(second + 1, third < 0 ? undefined : third));
  };

  const byRoute = (segments: readonly string[]): EndpointMatch | undefined => {
    const [version = '', first = ''] = segments;
    const known = routesOf(version);
    if (known === undefined || isConfigPath(segments)) return undefined;
    if (segments.length === 2 && RESERVED_ENDPOINT_NAMES.includes(first)) return undefined;
    if (collections.get(version, first, segments[2] ?? '') !== undefined) return undefined;
    for (const entry of [...(known.literal.get(first) ?? []), ...known.open]) {
      const params = entry.route && matchRoute(entry.route, segments.slice(1));
      if (params !== undefined) return { endpoint: entry.live, params, sub: NO_SUB };
    }
    return undefined;
  };

  const bySegments = (segments: readonly string[]): EndpointMatch | undefined => {
    const [version = '', name = '', sub = ''] = segments;
    const isPlain = !version.includes('/') && !name.includes('/');
    const entry = isPlain ? endpoints.get(`/${version}/${name}`) : undefined;
    if (entry !== undefined && segments.length === 2 && entry.route === undefined) return entry.call;
    if (entry !== undefined && SUBS.has(sub) && collections.get(version, name, sub) === undefined) {
      return { endpoint: entry.live, params: NONE, sub: segments.slice(2) };
    }
    const gone = isPlain && sub === 'versions' ? removed.get(`/${version}/${name}`) : undefined;
    if (gone !== undefined && collections.get(version, name, sub) === undefined) {
      return byRoute(segments) ?? { endpoint: gone, params: NONE, sub: segments.slice(2) };
    }
    return byRoute(segments);
  };

  return {
    match(path) {
      if (endpoints.size === 0 && removed.size === 0) return undefined;
      const known = endpoints.get(path);
      if (known !== undefined && known.route === undefined) return known.call;
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
    routedEndpoints() {
      routed ??= [...endpoints.values()].flatMap(({ live: { address }, route }) =>
        address.kind === 'endpoint' ? [{ address, route }] : [],
      );
      return routed;
    },
    put(live, route) {
      forget(live.address);
      const entry: RegistryEntry = { live, route, call: { endpoint: live, params: NONE, sub: NO_SUB } };
      entries.set(moduleKey(live.address), entry);
      removed.delete(modulePath(live.address));
      if (live.address.kind === 'endpoint') endpoints.set(modulePath(live.address), entry);
      if (route !== undefined) routes = undefined;
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
