// The configuration file may hold secrets: nobody but its owner should read it.
import { chmod, stat } from 'node:fs/promises';

/** The mode of the file. */
export const OWNER_ONLY = 0o600;

const OF_OTHERS = 0o077;
/** What is dangerous even where the file is somebody else's, who lets the server read it as a member of a group. */
const OF_STRANGERS = 0o027;

const octal = (mode: number) => (mode & 0o777).toString(8);

/**
 * Takes the rights of others away from a file of this user, by default that of the process. Gives a line for people where
 * others keep rights that they should not have. A missing file is left alone, and Windows has no such modes.
 */
export async function keepToOwner(file: string, user = process.getuid?.()): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (user === undefined || found === undefined) return undefined;
  const isOurs = found.uid === user;
  if ((found.mode & (isOurs ? OF_OTHERS : OF_STRANGERS)) === 0) return undefined;
  const warning = `${file} may be read or written by others than its owner (mode ${octal(found.mode)})`;
  if (!isOurs) return warning;
  return chmod(file, OWNER_ONLY).then(
    () => undefined,
    () => warning,
  );
}
