// The part of the composition roots for `cloister restore`: which folders are filled, and whether the configuration agrees with the
// backup about them.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FOLDER_MODE } from '../backup/copy.ts';
import { backupError, type Manifest, manifestId } from '../backup/manifest.ts';
import type { BackupWatch } from '../backup/media-files.ts';
import { type RestoreReport, restoreBackup } from '../backup/restore-backup.ts';
import { readRestoreMarker } from '../backup/restore-marker.ts';
import { assertEmpty, placeFiles, type RestoreFolder } from '../backup/restore-targets.ts';
import { type VerifyWatch, verifyBackup } from '../backup/verify-backup.ts';
import { auditFolderOf, dataFolderOf, restoreMarkerOf } from '../config/data-folder.ts';
import { mediaFolderOf } from '../config/folder-check.ts';
import type { Config } from '../config/schema.ts';
import { realPathOf } from '../lib/files/containment.ts';
import { makeFolder } from '../lib/files/file-operations.ts';
import { lockDataFolder, openDatabaseBackup } from '../stores/open/document-store.ts';
import { createImporter } from '../transfer/import.ts';
import { EXPORT_NAME, openBackupStore } from './backup.ts';

interface RestorePlace {
  readonly cwd: string;
  /** Absolute path of the backup. */
  readonly folder: string;
  readonly overwrite: boolean;
}

const LOCKS = ['', '-journal', '.json'].map((end) => `cloister.lock${end}`).concat('cloister.builds.lock');
/** Where uploads are staged. */
const UPLOADS = '.uploads';

async function targetsOf(config: Config, cwd: string): Promise<readonly RestoreFolder[]> {
  const way = await openDatabaseBackup(config.database, { cwd });
  const data = await realPathOf(dataFolderOf(config, cwd));
  const ofServer = [...LOCKS, basename(restoreMarkerOf(config, cwd))];
  const audit = await realPathOf(auditFolderOf(config, cwd));
  const workspace = await realPathOf(resolve(cwd, config.workspace.path));
  const database = way.kind === 'file' ? way.name : EXPORT_NAME;
  return [
    { area: 'workspace', root: workspace, configFile: 'config.json', ignored: [] },
    { area: 'database', root: data, names: [database], ignored: ofServer },
    {
      area: 'audit',
      root: audit,
      names: ['audit.key', 'audit.head'],
      ignored: audit === data ? ofServer : [],
    },
    ...(config.media.storage === 'disk'
      ? [{ area: 'media' as const, root: await realPathOf(mediaFolderOf(config, cwd)), ignored: [UPLOADS] }]
      : []),
  ];
}

/** The settings that decide where data are, with what they come to. */
function placesOf(config: Config, cwd: string): Readonly<Record<string, string>> {
  return {
    'database.engine': config.database.engine,
    'database.enableCollectionDatabases': String(config.database.enableCollectionDatabases),
    'database.sqlite.path': dataFolderOf(config, cwd),
    'media.storage': config.media.storage,
    'media.basePath': mediaFolderOf(config, cwd),
    'auth.auditPath': auditFolderOf(config, cwd),
  };
}

/**
 * What the configuration in a backup says of places otherwise than the one in force, one line for each. The restored server would
 * look for its data there; a backup never decides where a restore writes.
 */
function placeDifferences(inForce: Config, backedUp: Config, cwd: string): readonly string[] {
  const there = placesOf(backedUp, cwd);
  return Object.entries(placesOf(inForce, cwd)).flatMap(([setting, value]) =>
    there[setting] === value
      ? []
      : [`${setting} is ${there[setting]} in the backup, and ${value} here: set it as there, or by --config`],
  );
}

function assertFits(config: Config, { header, files }: Manifest): void {
  const { engine, enableCollectionDatabases } = config.database;
  if (header.engine !== engine)
    throw backupError(
      `the backup is of a database of the engine ${header.engine}, and the configuration says ${engine}: see \`cloister export\``,
    );
  if (header.separateDatabases !== enableCollectionDatabases)
    throw backupError(
      `the backup is of a site with database.enableCollectionDatabases: ${header.separateDatabases}`,
    );
  if (config.media.storage !== 'disk' && files.some(({ path }) => path.startsWith('media/')))
    throw backupError(
      'the backup has media files: restore with media.storage: disk, then use `cloister media copy`',
    );
}

/**
 * Who may write everywhere would leave files that the server, another user, cannot read. `user` is the id of who restores, undefined
 * on systems without. Undefined where all is well.
 */
export function ownerIssue(folders: readonly string[], user: number | undefined): string | undefined {
  if (user !== 0) return undefined;
  for (const folder of folders) {
    let path = folder;
    while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
    const { uid } = statSync(path);
    if (uid !== user)
      return `${path} belongs to the user ${uid}: restore as this user, or the server cannot read what is restored`;
  }
  return undefined;
}

/** Documents have no folder that could be put aside. */
async function assertEmptyDatabase(config: Config, cwd: string): Promise<void> {
  const store = await openBackupStore(config, cwd);
  try {
    const [found] = await store.collections();
    if (found !== undefined)
      throw backupError(`the database is not empty: it has ${found.collection}; name another one`);
  } finally {
    await store.close();
  }
}

async function importDocuments(config: Config, cwd: string, file: string): Promise<void> {
  const store = await openBackupStore(config, cwd);
  try {
    const separateDatabases = config.database.enableCollectionDatabases;
    const none = new Set<string>();
    const site = { separateDatabases, withServerData: true, idFields: () => none };
    await createImporter({ store, now: Date.now, ...site })(createReadStream(file));
  } finally {
    await store.close();
  }
}

/** Throws CONFIGURATION_INVALID where the restore could not be done, before anything is written. */
async function assertRestorable(
  config: Config,
  manifest: Manifest,
  { cwd, overwrite }: Pick<RestorePlace, 'cwd' | 'overwrite'>,
): Promise<void> {
  assertFits(config, manifest);
  const targets = await targetsOf(config, cwd);
  placeFiles(manifest.files, targets);
  const roots = targets.map(({ root }) => root);
  const issue = ownerIssue(roots, process.getuid?.());
  if (issue !== undefined) throw backupError(issue);
  const marker = await readRestoreMarker(restoreMarkerOf(config, cwd));
  const resumes = marker?.backup === manifestId(manifest);
  // What an interrupted restore of it has moved already is no hindrance; `restoreBackup` looks closer.
  if (!overwrite && !resumes) await assertEmpty(targets, () => false);
  if (resumes) return;
  const way = await openDatabaseBackup(config.database, { cwd });
  if (way.kind === 'export') await assertEmptyDatabase(config, cwd);
}

/** Restores a verified backup into the configured folders. Rejects as `restoreBackup` does, with `in-use` where a server runs. */
async function restoreSite(
  config: Config,
  manifest: Manifest,
  { place, watch }: { readonly place: RestorePlace; readonly watch: BackupWatch },
): Promise<RestoreReport> {
  const { cwd, folder, overwrite } = place;
  await assertRestorable(config, manifest, place);
  await makeFolder(dataFolderOf(config, cwd), FOLDER_MODE);
  const unlock = lockDataFolder(config.database, { cwd });
  try {
    const way = await openDatabaseBackup(config.database, { cwd });
    return await restoreBackup(
      manifest,
      {
        folder,
        overwrite,
        targets: await targetsOf(config, cwd),
        marker: restoreMarkerOf(config, cwd),
        now: Date.now,
        ...(way.kind === 'export' && {
          importDatabase: (file: string) => importDocuments(config, cwd, file),
        }),
      },
      watch,
    );
  } finally {
    unlock();
  }
}

export interface SiteRestore {
  /** The configuration file in the backup; undefined where it has none in its workspace. */
  readonly configFile: string | undefined;
  /** Reads the whole backup. Rejects with CONFIGURATION_INVALID, which names what is not as it was written. */
  verify(watch: VerifyWatch): Promise<Manifest>;
  differences(backedUp: Config): readonly string[];
  /** Rejects with CONFIGURATION_INVALID where the restore could not be done. Writes nothing. */
  assertPossible(manifest: Manifest): Promise<void>;
  run(manifest: Manifest, watch: BackupWatch): Promise<RestoreReport>;
}

/** Opens the restore of a backup into the configured folders. */
export function openSiteRestore(config: Config, place: RestorePlace): SiteRestore {
  const configFile = join(place.folder, 'workspace', 'config.json');
  return {
    configFile: existsSync(configFile) ? configFile : undefined,
    verify: (watch) => verifyBackup(place.folder, watch),
    differences: (backedUp) => placeDifferences(config, backedUp, place.cwd),
    assertPossible: (manifest) => assertRestorable(config, manifest, place),
    run: (manifest, watch) => restoreSite(config, manifest, { place, watch }),
  };
}
