// What an endpoint would take away from others by the paths that it asks for.
import type { Registry } from '../../collections/registry.ts';
import { AppError } from '../../errors.ts';
import type { ModuleAddress } from '../modules.ts';
import { RESERVED_NAMES } from './address.ts';
import { type RoutePattern, routeEnters, routesOverlap } from './route-pattern.ts';

/** Names of what lives below `/{version}/{endpoint}`. */
export const SUB_RESOURCES: readonly string[] = ['config', 'policy', 'versions', 'logs', 'suspend'];

export type EndpointAddress = Extract<ModuleAddress, { kind: 'endpoint' }>;

/** An endpoint with the paths it answers. */
export interface Routed {
  readonly address: EndpointAddress;
  /** Undefined: `/{version}/{name}`. */
  readonly route: RoutePattern | undefined;
}

type Collections = Pick<Registry, 'list'>;

const plain = (...segments: readonly string[]) => ({ segments, optional: false });
const refuse = (message: string) =>
  new AppError('ENDPOINT_INVALID', { items: [{ field: 'route', message, code: 'ENDPOINT_LOAD' }] });

/** Throws NAME_TAKEN where the endpoint is called like a database folder of its version: its sub-resources would hide collections. */
export function assertFreeName({ apiVersion, name }: EndpointAddress, collections: Collections): void {
  const taken = collections
    .list()
    .some(({ version, database }) => version === apiVersion && database === name);
  if (!taken) return;
  throw new AppError('NAME_TAKEN', {
    field: 'name',
    message: `\`${name}\` is the name of a database folder of version ${apiVersion}`,
  });
}

function shadowedCollection(
  route: RoutePattern,
  apiVersion: string,
  collections: Collections,
): string | undefined {
  return collections
    .list()
    .filter(({ version }) => version === apiVersion)
    .find(
      ({ database, name }) =>
        routesOverlap(route, plain(database, name)) || routeEnters(route, [database, name]),
    )?.path;
}

function hides(route: RoutePattern, { address: { name }, route: other }: Routed): boolean {
  const own = other === undefined ? plain(name) : other;
  return routesOverlap(route, own) || SUB_RESOURCES.some((sub) => routesOverlap(route, plain(name, sub)));
}

/** A path that the server answers itself: the code of any endpoint, also of one to come, and what lies below this one. */
function servedPath({ segments }: RoutePattern, name: string): boolean {
  const [first, second, ...more] = segments;
  if (typeof second !== 'string' || more.length > 0) return false;
  return second === 'config' || (first === name && SUB_RESOURCES.includes(second));
}

/** Throws ENDPOINT_INVALID where a path that the endpoint asks for means something else already. */
export function assertFreeRoute(
  { address, route }: Routed,
  others: readonly Routed[],
  collections: Collections,
): void {
  const { apiVersion, name } = address;
  const siblings = others.filter(
    (other) => other.address.apiVersion === apiVersion && other.address.name !== name,
  );
  if (route === undefined) {
    const taker = siblings.find(
      (other) => other.route !== undefined && routesOverlap(other.route, plain(name)),
    );
    if (taker === undefined) return;
    throw refuse(`\`/${apiVersion}/${name}\` belongs to the route of \`${taker.address.name}\``);
  }
  const reserved = RESERVED_NAMES.find((text) => routesOverlap(route, plain(text)));
  if (reserved !== undefined) throw refuse(`shadows \`/${apiVersion}/${reserved}\``);
  if (servedPath(route, name))
    throw refuse(`\`${route.text}\` would never be reached: the server answers it`);
  const collection = shadowedCollection(route, apiVersion, collections);
  if (collection !== undefined) throw refuse(`shadows the collection \`${collection}\``);
  const hidden = siblings.find((other) => hides(route, other));
  if (hidden !== undefined) throw refuse(`shadows the endpoint \`/${apiVersion}/${hidden.address.name}\``);
}
