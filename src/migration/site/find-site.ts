// Finds out what a folder holds: its configuration, its server, and every file that may be carried over.

import { createFolderLister, type FolderLister, type SiteEntry } from '../files/list-folder.ts';
import { openContainedFiles } from '../files/source-files.ts';
import { ReportSection } from '../report/report.ts';
import { chooseEnvironment, type OlderEnvironment, readEnvironments } from '../settings/environments.ts';
import type { ServerKind } from '../settings/settings-plan.ts';
import { noteSpecial, type SiteContents } from './site-contents.ts';
import { findFolders, findServer, type SiteFolders, WORKSPACE_FOLDERS } from './site-layout.ts';

/** The site as it was found. */
export interface FoundSite extends Pick<SiteContents, 'root' | 'files' | 'section'> {
  readonly environments: readonly OlderEnvironment[];
  readonly chosen: OlderEnvironment | undefined;
  readonly server: ServerKind;
  /** The first number of its version, where the site says it. */
  readonly major: number | undefined;
  readonly folders: SiteFolders;
  /** All entries of the folders that are read, each once. */
  readonly entries: readonly SiteEntry[];
}

const SKIPPED = /(?:^|\/)(?:node_modules|\.[^/]*)$/;

async function listEntries(lister: FolderLister, folders: SiteFolders): Promise<readonly SiteEntry[]> {
  const found = new Map<string, SiteEntry>();
  for (const folder of WORKSPACE_FOLDERS) {
    for (const entry of await lister.listBelow(folders[folder], (path) => SKIPPED.test(path)))
      found.set(entry.path, entry);
  }
  return [...found.values()];
}

/** Says of what is beside the folders that are read that it stays where it is. */
async function noteOthers(
  lister: FolderLister,
  { section, folders }: Pick<FoundSite, 'section' | 'folders'>,
  top: readonly SiteEntry[],
): Promise<void> {
  const roots = new Set(Object.values(folders).map((folder) => folder.split('/')[0] ?? ''));
  const beside = [...roots].map((folder) => lister.list(folder));
  const read = new Set<string>([...Object.values(folders), ...roots, 'config']);
  for (const entry of [...top, ...(await Promise.all(beside)).flat()]) {
    const { path, kind } = entry;
    if (read.has(path) && kind === 'folder') continue;
    const isMedia = kind === 'folder' && /^(?:workspace\/)?media$/.test(path);
    if (isMedia && (await lister.list(path)).length > 0) {
      section.add(
        path,
        'hand',
        'move these files to where records of the new server have them: docs/migration.md says where',
      );
    } else if (kind === 'link' && read.has(path)) noteSpecial(section, entry);
    else if (path.endsWith('node_modules'))
      section.add(path, 'changed', 'in the bundles, as far as code requires it');
    else section.add(path, 'changed', 'left out: it is no part of a workspace');
  }
}

function noteConfigFiles(
  entries: readonly SiteEntry[],
  { section, environments, chosen }: Pick<FoundSite, 'section' | 'environments' | 'chosen'>,
): void {
  const reported = new Set(
    section.lines.filter(({ outcome }) => outcome === 'hand').map(({ subject }) => subject),
  );
  for (const entry of entries) {
    const { path, kind } = entry;
    if (noteSpecial(section, entry) || kind === 'folder' || reported.has(path)) continue;
    const of = environments.find(({ paths }) => paths.includes(path));
    if (of === undefined) section.add(path, 'changed', 'left out: it is not `config.<environment>.json`');
    else if (of === chosen)
      section.add(path, 'changed', 'its settings are in `workspace/config.json` and `.env`');
    else section.add(path, 'changed', `left out: \`--env ${of.name}\` carries it over`);
  }
}

/** Reads the configuration of a site and lists its files. Throws a MigrationError where it cannot be told what is meant. */
export async function findSite(root: string, env: string | undefined): Promise<FoundSite> {
  const files = openContainedFiles(root);
  const section = new ReportSection('Files');
  const lister = createFolderLister(root);
  const top = await lister.list('');
  const config = await lister.listBelow('config', (path) => SKIPPED.test(path));
  const environments = await readEnvironments(config, { root, files, section });
  const chosen = chooseEnvironment(environments, env);
  const settings = chosen?.settings ?? {};
  const folders = findFolders(root, settings, top);
  const entries = await listEntries(lister, folders);
  await noteOthers(lister, { section, folders }, top);
  const { kind: server, major } = await findServer(root, files, { settings, folders, entries });
  noteConfigFiles(config, { section, environments, chosen });
  return { root, files, section, environments, chosen, server, major, folders, entries };
}
