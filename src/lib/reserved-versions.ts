// First segments of the server's own paths: no collection or endpoint has a version of that name.

const RESERVED_VERSIONS: readonly string[] = [
  ...['api', 'token', 'hello', 'health', 'docs', 'metrics', 'media', 'admin', 'favicon.ico'],
];

/** What is wrong with such a version; undefined for any other. */
export const reservedVersionIssue = (version: string): string | undefined =>
  RESERVED_VERSIONS.includes(version) ? `\`${version}\` is reserved` : undefined;
