// Makes a backup of a site while its server runs. The audit head and the workspace are copied before the database, media files
// after it, and all of it again where something changed meanwhile: what a record names is then in the backup.
import { realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder, isFileMissing, makeFolder } from '../lib/files/file-operations.ts';
import type { MediaStore } from '../stores/media-store.ts';
import { type Content, contentOf, copyNew, FOLDER_MODE, walkFollowing, writeNew } from './copy.ts';
import { claimFolder } from './incomplete.ts';
import {
  type Area,
  type BackupFile,
  type BackupHeader,
  backupError,
  formatManifest,
  isSafePath,
  MANIFEST_DRAFT,
  MANIFEST_FILE,
} from './manifest.ts';
import { type BackupWatch, copyMedia, type MediaCopyResult, type NamedFile } from './media-files.ts';

/** Attempts while others change the workspace, or remove files whose records were copied. */
const MAX_ROUNDS = 5;

export interface BackupSources {
  /** Absolute path of the backup. */
  readonly folder: string;
  readonly header: Pick<BackupHeader, 'cloister' | 'engine' | 'separateDatabases'>;
  /** The workspace, without what is backed up by itself or not at all. */
  readonly workspace: { readonly root: string; readonly leaveOut: (file: string) => boolean };
  /** Files by their place in the backup. Missing ones are left out. */
  readonly files: readonly { readonly path: string; readonly file: string }[];
  /** Copies the database into an empty folder, from one snapshot: `DatabaseBackup` in `src/stores/open/document-store.ts`. */
  readonly copyDatabase: (target: string, signal: AbortSignal) => Promise<void>;
  /** The files that records of the copied database name. */
  readonly namedFiles: (copied: string) => AsyncIterable<NamedFile>;
  /** The media store, where its files are part of the backup. */
  readonly media: Pick<MediaStore, 'list' | 'read'> | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface BackupReport {
  readonly files: number;
  readonly bytes: number;
  /** Keys of files that records name and the site does not have any more. */
  readonly lost: readonly string[];
  /** False where the workspace kept changing. */
  readonly isSettled: boolean;
}

type Contents = Map<string, Content>;

/** What is copied anew by each run. */
const COPIED_AGAIN: readonly Area[] = ['workspace', 'database', 'audit', 'other'];

async function copySingleFiles({ folder, files }: BackupSources, contents: Contents, watch: BackupWatch) {
  for (const { path, file } of files) {
    try {
      contents.set(path, await copyNew(file, join(folder, path), watch));
    } catch (error) {
      if (!isFileMissing(error)) throw error;
    }
  }
}

/** The states of all files of the workspace, by path. */
async function workspaceState({ workspace }: BackupSources): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for await (const { path, state } of walkFollowing(workspace.root, workspace)) states.set(path, state);
  return states;
}

async function copyWorkspace(
  { folder, workspace }: BackupSources,
  contents: Contents,
  { states, watch }: { readonly states: ReadonlyMap<string, string>; readonly watch: BackupWatch },
): Promise<void> {
  for (const name of states.keys()) {
    const path = `workspace/${name}`;
    if (!isSafePath(path)) throw backupError(`${path}: a backup cannot hold a file of this name`);
    try {
      const file = await realpath(join(workspace.root, name));
      contents.set(path, await copyNew(file, join(folder, path), watch));
    } catch (error) {
      // Removed since it was listed; the comparison afterwards finds out.
      if (!isFileMissing(error)) throw error;
    }
  }
}

const isSame = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
  a.size === b.size && [...a].every(([path, state]) => b.get(path) === state);

interface Round extends MediaCopyResult {
  readonly contents: Contents;
  readonly isSettled: boolean;
}

async function copyDatabase({ folder, copyDatabase: copy }: BackupSources, watch: BackupWatch) {
  const target = join(folder, 'database');
  await makeFolder(target, FOLDER_MODE);
  await copy(target, watch.signal);
  return target;
}

async function copyOnce(sources: BackupSources, watch: BackupWatch): Promise<Round> {
  const { folder } = sources;
  for (const area of COPIED_AGAIN) await rm(join(folder, area), { recursive: true, force: true });
  const contents: Contents = new Map();
  await copySingleFiles(sources, contents, watch);
  const states = await workspaceState(sources);
  await copyWorkspace(sources, contents, { states, watch });
  const database = await copyDatabase(sources, watch);
  const isSettled = isSame(states, await workspaceState(sources));
  const { media } = sources;
  const named = sources.namedFiles(database);
  const result =
    media === undefined
      ? { copied: new Map<string, Content>(), lost: [] }
      : await copyMedia({ media, named, folder: join(folder, 'media') }, watch);
  return { contents, isSettled, ...result };
}

/** The database is measured last: reading its records may have written its log into it. */
async function databaseFiles({ folder }: BackupSources, watch: BackupWatch): Promise<Contents> {
  const contents: Contents = new Map();
  const root = join(folder, 'database');
  for await (const { path } of walkFollowing(root, { leaveOut: () => false }))
    contents.set(`database/${path}`, await contentOf(join(root, path), watch));
  return contents;
}

async function writeManifest(
  { folder, header, now }: BackupSources,
  contents: Contents,
  watch: BackupWatch,
): Promise<readonly BackupFile[]> {
  const files = [...contents].map(([path, content]) => ({ path, ...content }));
  const createdAt = new Date(now()).toISOString();
  const text = formatManifest({
    header: { format: 'cloister-backup', version: 1, createdAt, ...header },
    files,
  });
  const draft = join(folder, MANIFEST_DRAFT);
  await rm(draft, { force: true });
  await writeNew(draft, [Buffer.from(text)] as unknown as AsyncIterable<Uint8Array>, watch);
  await rename(draft, join(folder, MANIFEST_FILE));
  await flushFolder(folder);
  return files;
}

/** A file is lost, and not removed meanwhile, where it is missing again beside a newer copy of the database. True if none is missing. */
const isLossCertain = (lost: readonly string[], before: readonly string[] | undefined) =>
  lost.length === 0 || (before !== undefined && lost.every((key) => before.includes(key)));

/**
 * Makes the backup. An interrupted one is taken up again: media files that are there stay. Rejects with CONFIGURATION_INVALID where
 * the folder holds something else, and with the reason of the signal.
 */
export async function createBackup(sources: BackupSources, watch: BackupWatch): Promise<BackupReport> {
  const claim = await claimFolder(sources.folder);
  let round = await copyOnce(sources, watch);
  let before: readonly string[] | undefined;
  for (let n = 1; n < MAX_ROUNDS && !(round.isSettled && isLossCertain(round.lost, before)); n += 1) {
    before = round.lost;
    round = await copyOnce(sources, watch);
  }
  const contents = new Map([...round.contents, ...(await databaseFiles(sources, watch))]);
  for (const [key, content] of round.copied) contents.set(`media/${key}`, content);
  const files = await writeManifest(sources, contents, watch);
  await claim.complete();
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { files: files.length, bytes, lost: round.lost, isSettled: round.isSettled };
}
