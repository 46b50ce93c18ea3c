// Rejects endpoints whose name or route conflicts with collections, other endpoints or paths of the server.
import type { CollectionRegistry } from '../../collections/model/collection.ts';
import { AppError } from '../../errors/errors.ts';
import { RESERVED_ENDPOINT_NAMES } from '../model/module-address.ts';
import type { ModuleAddress } from '../model/module-types.ts';
import { type RoutePattern, routeContinuesBelow, routesOverlap } from './route-pattern.ts';

/** Names of the sub-resources below `/{version}/{endpoint}`. */
export const ENDPOINT_SUB_RESOURCES: readonly string[] = ['config', 'policy', 'versions', 'logs', 'suspend'];

export type EndpointAddress = Extract<ModuleAddress, { kind: 'endpoint' }>;

/** An endpoint with the paths it answers. */
export interface RoutedEndpoint {
  readonly address: EndpointAddress;
  /** Undefined: `/{version}/{name}`. */
  readonly route: RoutePattern | undefined;
}

type Collections = Pick<CollectionRegistry, 'list'>;

const literalRoute = (...segments: readonly string[]) => ({ segments, optional: false });
const routeError = (message: string) =>
  new AppError('ENDPOINT_INVALID', { items: [{ field: 'route', message, code: 'ENDPOINT_LOAD' }] });

/** Throws NAME_TAKEN where a database folder of the version has the name of the endpoint: sub-resources would hide collections. */
export function assertNameAvailable({ apiVersion, name }: EndpointAddress, collections: Collections): void {
  const taken = collections
    .list()
    .some(({ version, database }) => version === apiVersion && database === name);
  if (!taken) return;
  throw new AppError('NAME_TAKEN', {
    field: 'name',
    message: `\`${name}\` is the name of a database folder of version ${apiVersion}`,
  });
}

function findShadowedCollection(
  route: RoutePattern,
  apiVersion: string,
  collections: Collections,
): string | undefined {
  return collections
    .list()
    .filter(({ version }) => version === apiVersion)
    .find(
      ({ database, name }) =>
        routesOverlap(route, literalRoute(database, name)) || routeContinuesBelow(route, [database, name]),
    )?.path;
}

function hides(route: RoutePattern, { address: { name }, route: other }: RoutedEndpoint): boolean {
  const own = other === undefined ? literalRoute(name) : other;
  return (
    routesOverlap(route, own) ||
    ENDPOINT_SUB_RESOURCES.some((sub) => routesOverlap(route, literalRoute(name, sub)))
  );
}

/** A path of the server itself: the code of any endpoint, existing or not, and the sub-resources of this one. */
function isServedPath({ segments }: RoutePattern, name: string): boolean {
  const [first, second, ...more] = segments;
  if (typeof second !== 'string' || more.length > 0) return false;
  return second === 'config' || (first === name && ENDPOINT_SUB_RESOURCES.includes(second));
}

/** Throws ENDPOINT_INVALID where a path of the endpoint already has another meaning. */
export function assertRouteAvailable(
  { address, route }: RoutedEndpoint,
  others: readonly RoutedEndpoint[],
  collections: Collections,
): void {
  const { apiVersion, name } = address;
  const siblings = others.filter(
    (other) => other.address.apiVersion === apiVersion && other.address.name !== name,
  );
  if (route === undefined) {
    const taker = siblings.find(
      (other) => other.route !== undefined && routesOverlap(other.route, literalRoute(name)),
    );
    if (taker === undefined) return;
    throw routeError(`\`/${apiVersion}/${name}\` belongs to the route of \`${taker.address.name}\``);
  }
  const reserved = RESERVED_ENDPOINT_NAMES.find((text) => routesOverlap(route, literalRoute(text)));
  if (reserved !== undefined) throw routeError(`shadows \`/${apiVersion}/${reserved}\``);
  if (isServedPath(route, name))
    throw routeError(`\`${route.text}\` would never be reached: the server answers it`);
  const collection = findShadowedCollection(route, apiVersion, collections);
  if (collection !== undefined) throw routeError(`shadows the collection \`${collection}\``);
  const hidden = siblings.find((other) => hides(route, other));
  if (hidden !== undefined)
    throw routeError(`shadows the endpoint \`/${apiVersion}/${hidden.address.name}\``);
}
