// What lies in a folder of files.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Names of all files below a folder, relative to it. */
export function filesBelow(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
  } catch {
    return [];
  }
}
