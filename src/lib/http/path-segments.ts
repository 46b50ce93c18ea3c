// The segments of a path, as requests are told apart by them.

/** The decoded segments of a path without its trailing slash; undefined if one does not decode. */
export function pathSegments(path: string): readonly string[] | undefined {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  const segments = path.slice(1, end).split('/');
  if (!path.includes('%')) return segments;
  try {
    return segments.map((segment) => decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}
