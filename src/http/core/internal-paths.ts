// Paths that the router knows and no client asks for, and the patterns under which metrics name all routes.

// No version begins with a dot, so no path of a client equals an internal path.
/** Internal path of uploads to signed URLs. */
export const SIGNED_UPLOAD_PATH = '/.signed-upload';
/** Internal path of calls of endpoints. */
export const ENDPOINT_CALL_PATH = '/.call';
/** Prefix of the internal paths of the sub-resources of endpoints. */
export const ENDPOINT_ADMIN_PATH = '/.endpoint';

/** Where clients find what is under an internal path. */
const PUBLIC_PATTERNS: readonly (readonly [internal: string, pattern: string])[] = [
  [ENDPOINT_CALL_PATH, '/{version}/{endpoint}'],
  [ENDPOINT_ADMIN_PATH, '/{version}/{endpoint}'],
  [SIGNED_UPLOAD_PATH, '/media/{token}'],
];

/** The pattern of a route of the router: `/:version/:database` is `/{version}/{database}`, and any rest of a path `{path}`. */
export function routePattern(route: string): string {
  const [internal = '', pattern = ''] = PUBLIC_PATTERNS.find(([start]) => route.startsWith(start)) ?? [];
  return (pattern + route.slice(internal.length)).replace(/:([^/]+)/g, '{$1}').replace('*', '{path}');
}
