// Restricts the configuration file, which may contain secrets, to its owner.
import { stat } from 'node:fs/promises';
import { GROUP_AND_OTHERS_MODE, restrictToOwner } from '../lib/files/file-mode.ts';

/** Rights that are reported on a file of another user: that user may let the server read it as a member of a group. */
const GROUP_WRITE_AND_OTHERS = 0o027;

const octal = (mode: number) => (mode & 0o777).toString(8);

/**
 * Removes the rights of group and others from a regular file of this user, by default that of the process. Returns a
 * warning when others keep rights that they should not have. A missing file is ignored, and so are modes on Windows.
 */
export async function restrictConfigFile(
  file: string,
  user = process.getuid?.(),
): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (user === undefined || found === undefined) return undefined;
  const isOurs = found.uid === user;
  if ((found.mode & (isOurs ? GROUP_AND_OTHERS_MODE : GROUP_WRITE_AND_OTHERS)) === 0) return undefined;
  if (isOurs && restrictToOwner(file)) return undefined;
  return `${file} may be read or written by others than its owner (mode ${octal(found.mode)})`;
}
