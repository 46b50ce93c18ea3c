// The part of the composition roots for `cloister backup`: what belongs to a site, and where it is.
import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { writeNew } from '../backup/copy.ts';
import { type BackupReport, createBackup } from '../backup/create-backup.ts';
import { backupError } from '../backup/manifest.ts';
import type { BackupWatch, NamedFile } from '../backup/media-files.ts';
import { createSiteRegistry } from '../collections/default-bucket.ts';
import { checkSpecificationFiles } from '../collections/specifications/check-files.ts';
import { SECRET_PATHS } from '../config/build-config.ts';
import { assertRestored, auditFolderOf, dataFolderOf } from '../config/data-folder.ts';
import { mediaFolderOf } from '../config/folder-check.ts';
import type { Config } from '../config/schema.ts';
import { isWithin, realPathOf } from '../lib/files/containment.ts';
import { packageVersion } from '../lib/files/package-files.ts';
import { isRestoreName } from '../lib/files/restore-names.ts';
import { commandLogOptions, createLogger, type Logger } from '../lib/logger.ts';
import type { MediaStore } from '../stores/media-store.ts';
import { type DatabaseBackup, openDatabaseBackup, openDocumentStore } from '../stores/open/document-store.ts';
import type { DocumentStore, Namespace } from '../stores/ports.ts';
import { createExporter, lineStart, readDocumentPages } from '../transfer/export.ts';
import { splitLines } from '../transfer/import-lines.ts';
import { openMediaStore } from './media.ts';
import { openCommandWorkspace } from './workspace/command-workspace.ts';
import type { Workspace } from './workspace/open-workspace.ts';

/** The exported documents of a database that is no file, in a backup. */
export const EXPORT_NAME = 'documents.jsonl';
const MAX_LINE_BYTES = 128 * 1024 * 1024;

export interface BackupPlace {
  readonly cwd: string;
  /** Absolute path of the configuration file, which need not exist. */
  readonly configFile: string;
  /** Absolute path of the backup. */
  readonly folder: string;
}

export interface SiteBackup {
  /** Bytes of media files and of the data file. */
  measure(): Promise<number>;
  run(watch: BackupWatch): Promise<BackupReport>;
  /** What the operator should know: what the backup does not have. */
  readonly notices: readonly string[];
  close(): Promise<void>;
}

const logOf = (config: Config): Logger =>
  createLogger({ ...commandLogOptions(config.logging), secrets: SECRET_PATHS });

/** Opens the configured database, or the copy of a data file in another folder. */
export function openBackupStore(config: Config, cwd: string, folder?: string): Promise<DocumentStore> {
  const { writeQueue: queueLimit, queryMs } = config.limits;
  const database = folder === undefined ? config.database : { ...config.database, sqlite: { path: folder } };
  return openDocumentStore(database, { cwd, queueLimit, queryMs, log: logOf(config) });
}

/** What lies in the workspace and is no part of it. */
async function otherFolders(config: Config, { cwd, folder }: BackupPlace): Promise<ReadonlySet<string>> {
  const { delivery, cache } = config;
  const paths = [
    ...[mediaFolderOf(config, cwd), dataFolderOf(config, cwd), auditFolderOf(config, cwd)],
    ...[resolve(cwd, delivery.cache.path), resolve(cwd, cache.path), folder],
  ];
  return new Set([...paths, ...(await Promise.all(paths.map(realPathOf)))]);
}

/** A backup inside of what it backs up would hold itself, and the server removes what it does not know from its caches. */
async function assertOutside(config: Config, { cwd, folder }: BackupPlace): Promise<void> {
  const real = await realPathOf(folder);
  const { workspace, delivery, cache } = config;
  const roots = [
    ...[resolve(cwd, workspace.path), mediaFolderOf(config, cwd), dataFolderOf(config, cwd)],
    ...[auditFolderOf(config, cwd), resolve(cwd, delivery.cache.path), resolve(cwd, cache.path)],
  ];
  for (const root of roots)
    if (isWithin(await realPathOf(root), real))
      throw backupError(`${folder} lies in ${root}: name another folder`);
}

function singleFiles(config: Config, { cwd, configFile }: BackupPlace) {
  const audit = auditFolderOf(config, cwd);
  const workspace = resolve(cwd, config.workspace.path);
  const { policyFile } = config.sandbox;
  const others = [
    { path: 'other/config.json', file: configFile },
    ...(policyFile === undefined
      ? []
      : [{ path: 'other/policy-limits.json', file: resolve(cwd, policyFile) }]),
  ];
  return [
    // Before the database: what it names is then an entry of the copy.
    { path: 'audit/audit.head', file: join(audit, 'audit.head') },
    { path: 'audit/audit.key', file: join(audit, 'audit.key') },
    ...others.filter(({ file }) => !isWithin(workspace, file)),
  ];
}

async function copyDatabase(
  config: Config,
  { cwd, way }: { readonly cwd: string; readonly way: DatabaseBackup },
  {
    target,
    signal,
    onBytes,
  }: {
    readonly target: string;
    readonly signal: AbortSignal;
    readonly onBytes: (bytes: number) => void;
  },
): Promise<void> {
  if (way.kind === 'file') {
    await way.copy(target, { signal, onProgress: onBytes });
    return;
  }
  const store = await openBackupStore(config, cwd);
  try {
    const separateDatabases = config.database.enableCollectionDatabases;
    const exporter = createExporter({ store, separateDatabases, withServerData: true, now: Date.now });
    const plan = await exporter.plan();
    const bytes = async function* () {
      for await (const { text } of exporter.chunks(plan, () => undefined)) yield Buffer.from(text);
    };
    await writeNew(join(target, EXPORT_NAME), bytes(), { signal });
  } finally {
    await store.close();
  }
}

/** The collections whose documents are records of files, by the specifications in a workspace. */
async function mediaNamespaces(config: Config, workspace: Workspace): Promise<readonly Namespace[]> {
  const registry = createSiteRegistry(config);
  const { enableCollectionDatabases } = config.database;
  const { defaultBucket } = config.media;
  await checkSpecificationFiles({
    workspace: workspace.files,
    root: workspace.folders.collections,
    enableCollectionDatabases,
    defaultBucket,
    registry,
  });
  return registry
    .list()
    .filter(({ settings }) => settings.media)
    .map(({ namespace }) => namespace);
}

/** The workspace as the backup has it: its own copy of the folder, or that in the database. */
async function withWorkspace<T>(
  config: Config,
  { cwd, folder }: BackupPlace,
  task: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const copied = { ...config, workspace: { ...config.workspace, path: join(folder, 'workspace') } };
  const workspace = await openCommandWorkspace(copied, { cwd, openStore: openBackupStore });
  try {
    return await task(workspace);
  } finally {
    await workspace.close();
  }
}

/** The texts of all documents of some collections in the copied database. */
async function* copiedDocuments(
  config: Config,
  spaces: readonly Namespace[],
  { cwd, way, copied }: { readonly cwd: string; readonly way: DatabaseBackup; readonly copied: string },
): AsyncGenerator<string> {
  if (way.kind === 'export') {
    const starts = spaces.map((ns) => lineStart(ns));
    const lines = splitLines(createReadStream(join(copied, EXPORT_NAME)), MAX_LINE_BYTES);
    for await (const { bytes } of lines) {
      const start = starts.find((one) => Buffer.from(one).equals(bytes.subarray(0, Buffer.byteLength(one))));
      if (start !== undefined) yield Buffer.from(bytes).toString().slice(start.length, -1);
    }
    return;
  }
  if (spaces.length === 0 || !(await stat(join(copied, way.name)).catch(() => undefined))) return;
  const store = await openBackupStore(config, cwd, copied);
  try {
    const options = { store, now: Date.now, onUnreadable: () => undefined };
    for (const ns of spaces) for await (const texts of readDocumentPages(ns, options)) yield* texts;
  } finally {
    await store.close();
  }
}

async function* namedFiles(
  texts: AsyncIterable<string>,
  media: Pick<MediaStore, 'keyOf'>,
): AsyncGenerator<NamedFile> {
  for await (const text of texts) {
    const { path, contentLength } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof path !== 'string') continue;
    yield { key: media.keyOf(path), size: typeof contentLength === 'number' ? contentLength : undefined };
  }
}

function noticesFor(config: Config, cwd: string, way: DatabaseBackup): readonly string[] {
  const workspace = resolve(cwd, config.workspace.path);
  const outside = Object.entries(config.paths).filter(
    ([, path]) => !isWithin(workspace, resolve(workspace, path)),
  );
  const data = dataFolderOf(config, cwd);
  const isEmpty = way.kind === 'file' && !existsSync(join(data, way.name));
  return [
    ...(isEmpty
      ? [
          `there is no database in ${data}: does the command have the configuration and environment of the server?`,
        ]
      : []),
    ...(config.media.storage === 'disk' ? [] : ['files in the bucket are not in the backup']),
    ...outside.map(([name]) => `paths.${name} lies outside of the workspace, and is not in the backup`),
  ];
}

/** Opens what a backup of the configured site needs. Rejects with CONFIGURATION_INVALID where its folder cannot be taken. */
export async function openSiteBackup(config: Config, place: BackupPlace): Promise<SiteBackup> {
  const { cwd, folder } = place;
  assertRestored(config, cwd);
  await assertOutside(config, place);
  const way = await openDatabaseBackup(config.database, { cwd });
  const media = await openMediaStore(config, { cwd, now: Date.now, log: logOf(config) });
  const onDisk = config.media.storage === 'disk' ? media : undefined;
  const others = await otherFolders(config, place);
  const isLeftOut = (file: string) => others.has(file) || isRestoreName(basename(file));
  const root = await realPathOf(resolve(cwd, config.workspace.path));
  const { engine, enableCollectionDatabases } = config.database;
  return {
    notices: noticesFor(config, cwd, way),
    async measure() {
      const file = way.kind === 'file' ? join(dataFolderOf(config, cwd), way.name) : undefined;
      let bytes = file === undefined ? 0 : ((await stat(file).catch(() => undefined))?.size ?? 0);
      if (onDisk !== undefined) for await (const { size } of onDisk.list()) bytes += size;
      return bytes;
    },
    run(watch) {
      let ofDatabase = 0;
      const onBytes = (bytes: number) => {
        ofDatabase = bytes;
        watch.onProgress(0, bytes);
      };
      const sources = {
        folder,
        header: { cloister: packageVersion(), engine, separateDatabases: enableCollectionDatabases },
        workspace: { root, leaveOut: isLeftOut },
        files: singleFiles(config, place),
        copyDatabase: (target: string, signal: AbortSignal) =>
          copyDatabase(config, { cwd, way }, { target, signal, onBytes }),
        async *namedFiles(copied: string) {
          const spaces = await withWorkspace(config, place, (workspace) =>
            mediaNamespaces(config, workspace),
          );
          yield* namedFiles(copiedDocuments(config, spaces, { cwd, way, copied }), media);
        },
        media: onDisk,
        now: Date.now,
      };
      const onProgress = (files: number, bytes: number) => watch.onProgress(files, ofDatabase + bytes);
      return createBackup(sources, { ...watch, onProgress });
    },
    close: () => media.close(),
  };
}
