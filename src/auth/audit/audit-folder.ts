// The parts of the audit log outside the database, out of reach for anyone who can only write the database: the hash of the newest
// entry, and the key, unless several servers share one that was made for them.
import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../errors/errors.ts';
import { lazily } from '../../lib/async/lazily.ts';
import {
  isFileMissing,
  makeFolder,
  OWNER_ONLY_MODE,
  restrictToOwner,
} from '../../lib/files/file-operations.ts';
import { type AuditKeys, parseAuditKeys } from './audit-entry.ts';
import type { AuditHead, AuditHeadFile } from './audit-head.ts';

const FOLDER_MODE = 0o700;
const KEY_BYTES = 32;

export interface AuditFolder {
  /** The keys. Rejects with the store's StoreError where servers share them in their database. */
  readonly loadKeys: () => Promise<AuditKeys>;
  /** Tells the key from others; undefined for the one that all servers of a database share by themselves. */
  readonly keyId: string | undefined;
  readonly headFile: AuditHeadFile;
}

interface FolderOptions {
  /** Absolute path. */
  readonly folder: string;
  /** `auth.auditKey`: if set, no key file is used. */
  readonly configured: string | undefined;
}

const field = 'auth.auditKey';

function fail(message: string, cause?: unknown): never {
  throw new AppError('CONFIGURATION_INVALID', { field, message, cause });
}

const why = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : 'it is not readable';

/** Reads a key file; undefined if there is none. Throws CONFIGURATION_INVALID if it cannot be read. */
async function readKeyFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isFileMissing(error)) return undefined;
    return fail(`the key of the audit log in ${file} cannot be read: ${why(error)}`, error);
  }
}

/** Writes a new key to a file that does not exist. Of two concurrent processes one wins, and no reader sees half a key. */
async function makeKeyFile(folder: string, file: string): Promise<void> {
  const text = `${randomBytes(KEY_BYTES).toString('hex')}\n`;
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await makeFolder(folder, FOLDER_MODE);
    const handle = await open(draft, 'wx', OWNER_ONLY_MODE);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (error) {
    fail(`no key of the audit log can be written to ${file} (${why(error)}): set auth.auditKey`, error);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

const rejectKeys = (place: string) =>
  fail(`the keys of the audit log in ${place} must have 32 characters or more each`);

function isAuditHead(value: unknown): value is AuditHead {
  const { seq, hash } = (value ?? {}) as Partial<AuditHead>;
  return typeof seq === 'number' && typeof hash === 'string';
}

function unreadable(file: string, cause?: unknown): never {
  const message = `the newest entry of the audit log cannot be read from ${file}: the next entry of a server writes it anew`;
  throw new AppError('CONFIGURATION_INVALID', { field: 'auth.auditPath', message, cause });
}

function createHeadFile(folder: string): AuditHeadFile {
  const file = join(folder, 'audit.head');
  return {
    async load() {
      try {
        const value: unknown = JSON.parse(await readFile(file, 'utf8'));
        if (isAuditHead(value)) return value;
      } catch (error) {
        if (isFileMissing(error)) return undefined;
        return unreadable(file, error);
      }
      return unreadable(file);
    },
    async save({ seq, hash }) {
      // Not flushed: a killed process loses nothing, and a power failure may lose the newest entries too.
      const draft = `${file}.${process.pid}`;
      await makeFolder(folder, FOLDER_MODE);
      await writeFile(draft, `${JSON.stringify({ seq, hash })}\n`, { mode: OWNER_ONLY_MODE });
      await rename(draft, file);
    },
  };
}

/** Parses keys that were made for all servers of a database. Throws CONFIGURATION_INVALID. */
export const parseSharedKeys = (text: string) => parseAuditKeys(text) ?? rejectKeys('the database');

const configuredKeys = (text: string) => parseAuditKeys(text) ?? rejectKeys('auth.auditKey');

async function storedKeys(file: string): Promise<AuditKeys | undefined> {
  const text = await readKeyFile(file);
  if (text === undefined) return undefined;
  restrictToOwner(file);
  return parseAuditKeys(text) ?? rejectKeys(file);
}

/** Opens the folder without creating a key. Throws CONFIGURATION_INVALID. */
export async function readAuditFolder({
  folder,
  configured,
}: FolderOptions): Promise<{ readonly keys: AuditKeys | undefined; readonly headFile: AuditHeadFile }> {
  const stored = () => storedKeys(join(folder, 'audit.key'));
  const keys = configured === undefined ? await stored() : configuredKeys(configured);
  return { keys, headFile: createHeadFile(folder) };
}

/**
 * Opens the folder. Where it has no key, `loadShared` is asked for the one that servers share; without it, a key is made. Throws
 * CONFIGURATION_INVALID.
 */
export async function openAuditFolder(
  options: FolderOptions & { readonly loadShared?: () => Promise<string> },
): Promise<AuditFolder> {
  const { folder, loadShared } = options;
  const { keys: found, headFile } = await readAuditFolder(options);
  const withKeys = (keys: AuditKeys) => ({ loadKeys: async () => keys, keyId: keys.current.id, headFile });
  if (found !== undefined) return withKeys(found);
  if (loadShared !== undefined) {
    const shared = lazily(async () => parseSharedKeys(await loadShared()));
    return { loadKeys: shared.get, keyId: undefined, headFile };
  }
  const file = join(folder, 'audit.key');
  await makeKeyFile(folder, file);
  return withKeys((await storedKeys(file)) ?? fail(`the key of the audit log in ${file} is gone`));
}
