// Root folder and version of this package, found by walking up to the nearest package.json.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

function findRoot(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const parent = new URL('../', folder);
  if (parent.href === folder.href) throw new Error('no package.json above the source');
  return findRoot(parent);
}

/** Folder of the package, with a slash at its end: the nearest one above that holds a `package.json`. */
export function packageRoot(): URL {
  return findRoot(new URL('./', import.meta.url));
}

/** Version in `package.json`. */
export function packageVersion(): string {
  const text = readFileSync(new URL('package.json', packageRoot()), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}

/** Absolute path of the folder into which the admin page is built. */
export function builtAdminFolder(): string {
  return fileURLToPath(new URL('dist/admin', packageRoot()));
}

/** Absolute path of the folder into which the page of the API description is built. */
export function builtDocsFolder(): string {
  return fileURLToPath(new URL('dist/docs', packageRoot()));
}
