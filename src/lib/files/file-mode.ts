// Modes of files that hold secrets.
import { chmodSync, statSync } from 'node:fs';
import { isFileMissing } from './missing-file.ts';

/** The mode of a file that only its owner may read and write. */
export const OWNER_ONLY_MODE = 0o600;
/** The rights of all users but the owner. */
export const GROUP_AND_OTHERS_MODE = 0o077;

/**
 * Removes the rights of group and others. Returns false when they may keep them: the file belongs to another user, or its
 * mode cannot be read. A missing file is fine. Devices, pipes and folders are not changed, as other programs use them too.
 */
export function restrictToOwner(file: string): boolean {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || (stats.mode & GROUP_AND_OTHERS_MODE) === 0) return true;
    chmodSync(file, stats.mode & ~GROUP_AND_OTHERS_MODE & 0o777);
    return true;
  } catch (error) {
    return isFileMissing(error);
  }
}
