// The version of this package, wherever its files were put: the source lies one folder deep, the built files two.
import { readFileSync } from 'node:fs';

function readVersion(folder: URL): string {
  try {
    const text = readFileSync(new URL('package.json', folder), 'utf8');
    return String((JSON.parse(text) as { version: unknown }).version);
  } catch (error) {
    const parent = new URL('../', folder);
    if (parent.href === folder.href) throw error;
    return readVersion(parent);
  }
}

/** Reads `package.json` in the nearest folder above that has one. */
export function packageVersion(): string {
  return readVersion(new URL('../', import.meta.url));
}
