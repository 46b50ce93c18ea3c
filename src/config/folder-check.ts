// Checks the folders that settings name, at the start: what clients get and what the server removes by itself must not lie among
// what is the server's own, whatever links lead where.
import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { AppError, errorCodeOf } from '../errors/errors.ts';
import { isWithin, realPathOf } from '../lib/files/containment.ts';
import { isFileMissing } from '../lib/files/file-operations.ts';
import { auditFolderOf, DATA_FOLDER_SETTING, dataFolderOf } from './data-folder.ts';
import type { Config } from './schema.ts';

export interface FolderIssue {
  /** With an error the server does not start. */
  readonly severity: 'error' | 'warning';
  /** Dotted name of the setting. */
  readonly field: string;
  /** Continues the name of the setting. */
  readonly message: string;
}

/** What the folders are checked against: settings, and where relative paths start. */
export interface FolderCheckOptions {
  readonly cwd: string;
  /** Absolute path of the configuration file. */
  readonly configFile: string;
}

interface Place {
  /** Setting that names it, and what messages call it. */
  readonly field: string;
  readonly what: string;
  readonly path: string;
}

/** The default of `media.basePath`, which means the workspace in use. */
export const MEDIA_IN_WORKSPACE = 'workspace/media';

/** Absolute path of the folder of media files. */
export function mediaFolderOf({ media, workspace }: Config, cwd: string): string {
  return media.basePath === MEDIA_IN_WORKSPACE
    ? resolve(cwd, workspace.path, 'media')
    : resolve(cwd, media.basePath);
}

/** What only the server reads. */
function ownPlaces(config: Config, { cwd, configFile }: FolderCheckOptions): readonly Place[] {
  const { workspace, paths, sandbox } = config;
  const inWorkspace = (name: keyof Config['paths'], what: string) => ({
    field: `paths.${name}`,
    what: `the folder of ${what}`,
    path: resolve(cwd, workspace.path, paths[name]),
  });
  const data = dataFolderOf(config, cwd);
  const { policyFile } = sandbox;
  const audit = auditFolderOf(config, cwd);
  return [
    { field: DATA_FOLDER_SETTING, what: 'the folder of the database', path: data },
    ...(audit === data
      ? []
      : [{ field: 'auth.auditPath', what: 'the folder of the audit log', path: audit }]),
    inWorkspace('collections', 'specifications'),
    inWorkspace('endpoints', 'endpoints'),
    inWorkspace('hooks', 'hooks'),
    inWorkspace('routes', 'routes'),
    inWorkspace('recipes', 'recipes'),
    { field: '', what: 'the configuration', path: configFile },
    ...(policyFile === undefined
      ? []
      : [{ field: 'sandbox.policyFile', what: 'the policy limits', path: resolve(cwd, policyFile) }]),
  ];
}

/** The two folders of files for visitors. They may lie in each other: whatever is in either is delivered. */
const DELIVERED: ReadonlySet<string> = new Set(['images.directory.path', 'assets.directory.path']);

/** What clients get, and what the server fills and empties by itself. Each is checked against those before it too. */
function sharedPlaces(config: Config, cwd: string): readonly Place[] {
  const { media, images, assets, delivery, cache } = config;
  const place = (field: string, what: string, path: string) => ({ field, what, path: resolve(cwd, path) });
  const { path: variants, storage } = delivery.cache;
  const hasCacheFolder = cache.enabled && cache.engine === 'filesystem';
  return [
    ...(media.storage === 'disk'
      ? [place('media.basePath', 'the folder of media files', mediaFolderOf(config, cwd))]
      : []),
    ...(storage === 'disk' ? [place('delivery.cache.path', 'the folder of rendered images', variants)] : []),
    ...(hasCacheFolder ? [place('cache.path', 'the folder of cached answers', cache.path)] : []),
    ...(images.directory.enabled
      ? [place('images.directory.path', 'the folder of originals', images.directory.path)]
      : []),
    ...(assets.directory.enabled
      ? [place('assets.directory.path', 'the folder of assets', assets.directory.path)]
      : []),
  ];
}

/** Both as they are written and as they really are: a link may be made or removed while the server runs. */
async function relationOf(place: Place, other: Place): Promise<'outside' | 'inside' | undefined> {
  const [real, realOther] = await Promise.all([realPathOf(place.path), realPathOf(other.path)]);
  const pairs = [
    [place.path, other.path],
    [real, realOther],
  ] as const;
  if (pairs.some(([mine, theirs]) => isWithin(mine, theirs))) return 'outside';
  return pairs.some(([mine, theirs]) => isWithin(theirs, mine)) ? 'inside' : undefined;
}

async function overlapIssues(place: Place, others: readonly Place[]): Promise<readonly FolderIssue[]> {
  const found = others.map(async (other): Promise<FolderIssue[]> => {
    const relation = await relationOf(place, other);
    if (relation === undefined) return [];
    const not = relation === 'outside' ? 'must not be or contain' : 'must not lie in';
    return [{ severity: 'error', field: place.field, message: `${not} ${other.what}` }];
  });
  return (await Promise.all(found)).flat();
}

interface AccessIssue {
  readonly severity: 'error' | 'warning';
  /** Continues the name of the setting. */
  readonly message: string;
}

/** Finds the folder, or the nearest existing one above it. */
async function nearestExisting(path: string): Promise<{ readonly path: string; readonly isFolder: boolean }> {
  try {
    return { path, isFolder: (await stat(path)).isDirectory() };
  } catch (error) {
    if (!isFileMissing(error) || dirname(path) === path) throw error;
    return nearestExisting(dirname(path));
  }
}

/** Whether the server can write a folder that need not exist yet: undefined where it can. */
async function accessIssue(folder: string): Promise<AccessIssue | undefined> {
  try {
    const found = await nearestExisting(folder);
    if (!found.isFolder) return { severity: 'error', message: `is no folder: ${found.path} is a file` };
    await access(found.path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = String(errorCodeOf(error) ?? 'unknown error');
    return {
      severity: 'warning',
      message: `names a folder that cannot be written (${code}): uploads will fail`,
    };
  }
}

/** What is wrong with the folders that the settings name. Nothing is changed or created. */
export async function folderIssues(
  config: Config,
  options: FolderCheckOptions,
): Promise<readonly FolderIssue[]> {
  const { cwd } = options;
  const own = ownPlaces(config, options);
  const shared = sharedPlaces(config, cwd);
  const mayOverlap = (place: Place, other: Place) => DELIVERED.has(place.field) && DELIVERED.has(other.field);
  const overlaps = shared.map((place, at) => {
    const before = shared.slice(0, at).filter((other) => !mayOverlap(place, other));
    return overlapIssues(place, [...own, ...before]);
  });
  const { enabled, path } = config.notFound.images;
  const fallback = { field: 'notFound.images.path', what: 'the fallback', path: resolve(cwd, path) };
  const caches = shared.filter(({ field }) => field.endsWith('cache.path'));
  if (enabled) overlaps.push(overlapIssues(fallback, [...own, ...caches]));
  const access = shared.map(async ({ field, path: folder }): Promise<FolderIssue[]> => {
    if (field !== 'media.basePath') return [];
    const issue = await accessIssue(folder);
    // A workspace may be read-only where nobody uploads.
    const isUnused = config.media.basePath === MEDIA_IN_WORKSPACE && !existsSync(folder);
    return issue === undefined || (isUnused && issue.severity === 'warning') ? [] : [{ field, ...issue }];
  });
  return (await Promise.all([...overlaps, ...access])).flat();
}

/** Folders of the workspace that a setting names and that are not there: the server would make them, and serve nothing from them. */
export function missingFolders(config: Config, cwd: string): readonly FolderIssue[] {
  const { paths, workspace } = config;
  const names = Object.keys(paths) as (keyof Config['paths'])[];
  return names.flatMap((name): FolderIssue[] => {
    // The default of each is its name.
    if (paths[name] === name) return [];
    const folder = resolve(cwd, workspace.path, paths[name]);
    if (existsSync(folder)) return [];
    const shown = relative(cwd, folder);
    const message = `names a folder that is not there, ${shown}: it starts at the folder of the workspace (${workspace.path}); without this setting it is ${join(workspace.path, name)}`;
    return [{ severity: 'warning', field: `paths.${name}`, message }];
  });
}

/** Throws CONFIGURATION_INVALID where a folder may not be what a setting makes it; resolves with the warnings, as whole texts. */
export async function assertFolders(config: Config, options: FolderCheckOptions): Promise<readonly string[]> {
  const issues = await folderIssues(config, options);
  const textOf = ({ field, message }: FolderIssue) => `${field} ${message}`;
  const errors = issues.filter(({ severity }) => severity === 'error');
  const items = errors.map((issue) => ({ field: issue.field, message: textOf(issue) }));
  if (items.length > 0) throw new AppError('CONFIGURATION_INVALID', { items });
  return issues.map(textOf);
}
