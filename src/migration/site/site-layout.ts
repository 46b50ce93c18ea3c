// Where the folder of a site has what: of which server it is, and the folders of its workspace.
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import type { SiteEntry } from '../files/list-folder.ts';
import type { SourceFiles } from '../files/source-files.ts';
import { readJson5 } from '../settings/json5.ts';
import { type ServerKind, textValue, valueAt } from '../settings/settings-plan.ts';

/** Folders of a workspace that are carried over, or told of one by one. */
export const WORKSPACE_FOLDERS = [
  ...(['collections', 'endpoints', 'hooks', 'routes', 'recipes'] as const),
  ...(['processors', 'plugins'] as const),
] as const;

export type WorkspaceFolder = (typeof WORKSPACE_FOLDERS)[number];

export type SiteFolders = Readonly<Record<WorkspaceFolder, string>>;

/** A path of the configuration as one of the site; undefined where it leads out of it. */
function siteFolder(path: string | undefined, root: string): string | undefined {
  const inside = path?.startsWith(`${root}/`) === true ? path.slice(root.length + 1) : path;
  const names = (inside ?? '').split(/[\\/]+/).filter((name) => name !== '.' && name !== '');
  const leadsOut = inside?.startsWith('/') === true || names.includes('..') || names.includes('node_modules');
  return names.length === 0 || leadsOut ? undefined : names.join('/');
}

/** The folders as the configuration names them, else as the older servers did. `top`: the entries of the site's own folder. */
export function findFolders(root: string, settings: JsonObject, top: readonly SiteEntry[]): SiteFolders {
  const has = (name: string) => top.some(({ path, kind }) => path === name && kind === 'folder');
  const isWorkspace = !has('workspace') && WORKSPACE_FOLDERS.some(has);
  const folderOf = (name: WorkspaceFolder) =>
    siteFolder(textValue(valueAt(settings, `paths.${name}`)), root) ??
    (isWorkspace ? name : `workspace/${name}`);
  return Object.fromEntries(WORKSPACE_FOLDERS.map((name) => [name, folderOf(name)])) as SiteFolders;
}

const PACKAGES = { '@dadi/api': 'api', '@dadi/cdn': 'cdn' } as const;
const CDN_SETTINGS = [
  'images',
  'assets',
  'security',
  'notFound',
  'geolocation',
  'paths.recipes',
  'paths.routes',
];
const API_SETTINGS = ['database', 'media', 'auth.database', 'paths.collections', 'feedback', 'datastore'];

function likelyKind({ settings, folders, entries }: Parameters<typeof findServer>[2]): ServerKind {
  const count = (paths: readonly string[]) =>
    paths.filter((path) => valueAt(settings, path) !== undefined).length;
  const [cdn, api] = [count(CDN_SETTINGS), count(API_SETTINGS)];
  if (cdn !== api) return cdn > api ? 'cdn' : 'api';
  const has = (name: WorkspaceFolder) => entries.some(({ path }) => path.startsWith(`${folders[name]}/`));
  return !has('collections') && (has('recipes') || has('routes')) ? 'cdn' : 'api';
}

/** The server of a site, and its version where its package.json says so. */
export interface OlderServer {
  readonly kind: ServerKind;
  /** The first number of the version. */
  readonly major: number | undefined;
}

async function dependencyOf(root: string, files: SourceFiles): Promise<OlderServer | undefined> {
  const read = await files.read(`${root}/package.json`);
  const json = 'text' in read ? readJson5(read.text) : read;
  const dependencies = 'value' in json ? json.value['dependencies'] : undefined;
  if (!isJsonObject(dependencies)) return undefined;
  const found = Object.entries(PACKAGES).filter(([name]) => Object.hasOwn(dependencies, name));
  const [[name, kind] = ['', undefined]] = found;
  if (found.length !== 1 || kind === undefined) return undefined;
  const version = /^[\^~>=v ]*(\d{1,3})(?:\.|$)/.exec(textValue(dependencies[name]) ?? '')?.[1];
  return { kind, major: version === undefined ? undefined : Number(version) };
}

/** Of which of the older servers a site is: by its package.json, its settings, its folders. */
export async function findServer(
  root: string,
  files: SourceFiles,
  found: {
    readonly settings: JsonObject;
    readonly folders: SiteFolders;
    readonly entries: readonly SiteEntry[];
  },
): Promise<OlderServer> {
  return (await dependencyOf(root, files)) ?? { kind: likelyKind(found), major: undefined };
}
