// Names at the top of the folders of a site that belong to restores: nothing below them is served, uploaded or backed up.

/** Where a restore keeps what is not in its place yet, inside of each folder that it fills. */
export const STAGING_NAME = '.cloister-restore';
/** What an overwritten folder held before: this and a time. */
export const REPLACED_PREFIX = '.replaced-';

/** Whether the name of a file or folder is one of them, in any case, as some systems ignore it. */
export function isRestoreName(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === STAGING_NAME || lower.startsWith(REPLACED_PREFIX);
}
