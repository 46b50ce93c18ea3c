// `cloister migrate`: makes a workspace, an .env file and a report of the folder of an older server. Runs none of its code.
import { realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { DEFAULT_BUCKET } from '../collections/specifications/older-fields.ts';
import { findSetting } from '../config/setting-names.ts';
import { packageRoot } from '../lib/files/package-files.ts';
import { createPolicyParser } from '../modules/policy/policy.ts';
import { loadPolicyLimits } from '../modules/policy/policy-limits.ts';
import { checkOutput } from './check-output.ts';
import { type OutputFolder, openOutputFolder } from './files/output-folder.ts';
import { MigrationError } from './report/migration-error.ts';
import { handsNeeded, named, ReportSection, reportText } from './report/report.ts';
import { type CarriedSettings, carrySettings, nestedSettings } from './settings/carry-settings.ts';
import { envFile } from './settings/env-file.ts';
import { isOn, textValue, valueAt } from './settings/settings-plan.ts';
import { type FoundSite, findSite } from './site/find-site.ts';
import type { FolderFiles, MigratedCollection, SiteContents, WrittenFiles } from './site/site-contents.ts';
import type { WorkspaceFolder } from './site/site-layout.ts';
import { type MediaBucket, migrateCollections } from './workspace/collections.ts';
import { migrateDefinitions, noteServerCode, writePlainRecipe } from './workspace/definitions.ts';
import { migrateModules } from './workspace/modules.ts';

/** From this version on, the API named internals with an underscore. */
const MIN_UNDERSCORED_MAJOR = 3;

/** Seconds for reading and writing all of a site. */
export const MAX_SECONDS = 600;

export interface MigrateOptions {
  /** Both absolute. */
  readonly site: string;
  readonly out: string;
  /** The out folder as the person wrote it. */
  readonly shownOut: string;
  /** The environment; by default the development one, or the only one. */
  readonly env: string | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface MigratedSite {
  /** Lines of the report that need a hand. */
  readonly hands: number;
  /** What to do next, in order. */
  readonly steps: readonly string[];
}

async function realFolder(site: string): Promise<string> {
  const stats = await stat(site).catch(() => undefined);
  if (stats?.isDirectory() !== true) throw new MigrationError('there is no such folder');
  return realpath(site);
}

function filesOf({ folders, entries }: FoundSite, name: WorkspaceFolder): FolderFiles {
  const folder = folders[name];
  return { folder, entries: entries.filter(({ path }) => path.startsWith(`${folder}/`)) };
}

/** Whether clients know the internals as `_createdAt`, `_version`, …: as of version 3, unless the site said otherwise. */
function isUnderscored({ chosen, server, major }: FoundSite): boolean {
  const settings = chosen?.settings ?? {};
  const prefix = valueAt(settings, 'internalFieldsPrefix');
  if (server !== 'api' || prefix === '') return false;
  // Where nothing says the version: it was the third in which databases got files and names of their own.
  const isLater = ['datastore', 'mongodb', 'filestore'].some((path) => valueAt(settings, path) !== undefined);
  return (major ?? (isLater ? MIN_UNDERSCORED_MAJOR : 0)) >= MIN_UNDERSCORED_MAJOR;
}

/** The buckets of media files that need no specification on the older server. */
function bucketsOf({ chosen, server }: FoundSite): readonly MediaBucket[] {
  if (server !== 'api') return [];
  const settings = chosen?.settings ?? {};
  const more = valueAt(settings, 'media.buckets');
  const given = [valueAt(settings, 'media.defaultBucket'), ...(Array.isArray(more) ? more : [])];
  const named = new Set(given.flatMap((name) => textValue(name) ?? []));
  return [...new Set([...named, DEFAULT_BUCKET])].map((name) => ({ name, isNamed: named.has(name) }));
}

/** The address that originals of the CDN came from, where it was the only source. */
function remotePathOf({ chosen, server }: FoundSite): string | undefined {
  const settings = chosen?.settings ?? {};
  const isOnlySource =
    isOn(valueAt(settings, 'images.remote.enabled')) &&
    !isOn(valueAt(settings, 'images.directory.enabled')) &&
    !isOn(valueAt(settings, 'images.s3.enabled'));
  const address = textValue(valueAt(settings, 'images.remote.path'));
  return server === 'cdn' && isOnlySource && /^https?:/.test(address ?? '') ? address : undefined;
}

/** A hook that is not there keeps its collection from being written to. */
function noteMissingHooks(
  { section, written }: SiteContents,
  collections: readonly MigratedCollection[],
): void {
  for (const { version, database, name, hooks } of collections) {
    for (const hook of hooks) {
      if (written.has(`hooks/${hook}.js`)) continue;
      const file = `workspace/collections/${version}/${database}/collection.${name}.json`;
      section.add(
        file,
        'hand',
        `there is no hook ${named(hook)}: nothing can be written until it is there, or taken out here`,
      );
    }
  }
}

const setting = (path: string) => Number(findSetting(path)?.leaf.default);

/** What the settings of the new site depend on. */
interface MigratedWorkspace {
  /** Names of settings that policies have the values of. */
  readonly readSettings: ReadonlySet<string>;
  /** The recipe of images by their plain path. */
  readonly plainRecipe: string | undefined;
}

async function migrateWorkspace(site: SiteContents, found: FoundSite): Promise<MigratedWorkspace> {
  const collections = await migrateCollections(site, filesOf(found, 'collections'), {
    buckets: bucketsOf(found),
    isUnderscored: isUnderscored(found),
  });
  const policyLimits = await loadPolicyLimits(new URL('sandbox/', packageRoot()));
  const policies = createPolicyParser({ policyLimits, jsonBytes: setting('limits.jsonBytes') });
  const settings = found.chosen?.settings ?? {};
  const maxBytes = setting('limits.endpointCodeBytes');
  const readSettings = new Set<string>();
  const options = { collections, policies, maxBytes, settings, readSettings };
  await migrateModules(site, 'endpoints', filesOf(found, 'endpoints'), options);
  await migrateModules(site, 'hooks', filesOf(found, 'hooks'), options);
  noteMissingHooks(site, collections);
  await migrateDefinitions(site, filesOf(found, 'routes'), { kind: 'routes' });
  const remotePath = remotePathOf(found);
  await migrateDefinitions(site, filesOf(found, 'recipes'), { kind: 'recipes', remotePath });
  noteServerCode(site, filesOf(found, 'processors'));
  noteServerCode(site, filesOf(found, 'plugins'));
  const plainRecipe = found.server === 'cdn' ? writePlainRecipe(site, remotePath) : undefined;
  return { readSettings, plainRecipe };
}

/** The settings of all environments, each with its section; those of one are carried over. */
async function migrateSettings(
  { chosen, environments, server, root }: FoundSite,
  readSettings: ReadonlySet<string>,
) {
  const section = new ReportSection(chosen === undefined ? 'Settings' : `Settings of ${named(chosen.name)}`);
  const carried = await carrySettings(chosen?.settings ?? {}, { server, root, readSettings }, section);
  const sections = [section];
  for (const { name, settings } of environments.filter((one) => one !== chosen)) {
    const own = new ReportSection('');
    await carrySettings(settings, { server, root, readSettings }, own);
    const left = new ReportSection(`Settings of ${named(name)}, which were left out`);
    for (const { subject, outcome, notes } of own.lines) {
      const needs = outcome === 'hand' ? [`would need a hand: ${notes.join('; ')}`] : [];
      left.add(subject, 'changed', `left out: \`--env ${name}\` carries it over`, ...needs);
    }
    sections.push(left);
  }
  return { carried, sections };
}

/** A path as one word of a shell. */
function shellWord(path: string): string {
  const fromHere = /^[/.~]/.test(path) ? path : `./${path}`;
  return /^[A-Za-z0-9_./-]+$/.test(fromHere) ? fromHere : `'${fromHere.replaceAll("'", "'\\''")}'`;
}

/** What documents are imported from, as far as the configuration says it. */
function importSource({ chosen, root }: FoundSite): string {
  const folder = textValue(valueAt(chosen?.settings ?? {}, 'filestore.database.path'));
  return folder === undefined ? '…' : shellWord(resolve(root, folder));
}

function stepsOf(found: FoundSite, { secrets }: CarriedSettings, out: string): readonly string[] {
  const { server } = found;
  const isFirstStart = server === 'api' && !secrets.has('CLOISTER_DATABASE_MONGODB_URI');
  return [
    'Read the lines that need a hand.',
    `\`cloister check --workspace ${out}/workspace\`, which also loads the code, in the sandbox.`,
    ...(isFirstStart
      ? [
          `Bring documents and clients over: \`cloister import --from ${importSource(found)} --clients\`. Until then the site is empty.`,
        ]
      : []),
    `\`set -a; . ${out}/.env; set +a; cloister start --workspace ${out}/workspace\``,
  ];
}

/** Writes all files, looks at them, and reports. */
async function finish(
  output: OutputFolder,
  found: FoundSite,
  written: WrittenFiles,
  { out, readSettings, plainRecipe }: MigratedWorkspace & { readonly out: string },
): Promise<MigratedSite> {
  const { section, root } = found;
  const { carried, sections } = await migrateSettings(found, readSettings);
  const steps = stepsOf(found, carried, out);
  const { text, left } = envFile(carried.secrets);
  for (const name of left)
    section.add(
      '.env',
      'hand',
      `the value of ${named(name)} cannot be quoted for every shell: set it by hand`,
    );
  await output.write({ path: '.env', text, isSecret: true });
  const values = new Map(carried.values);
  if (plainRecipe !== undefined) values.set('delivery.plainRecipe', plainRecipe);
  const config = `${JSON.stringify(nestedSettings(values), null, 2)}\n`;
  await output.write({ path: 'workspace/config.json', text: config, isSecret: true });
  for (const [path, content] of written) await output.write({ path: `workspace/${path}`, text: content });
  const hooks = new Set([...written.keys()].flatMap((path) => /^hooks\/(.+)\.js$/.exec(path)?.[1] ?? []));
  await checkOutput({ folder: output.partial, secrets: carried.secrets, hooks, section });
  const all = [section, ...sections];
  await output.write({
    path: 'REPORT.md',
    text: reportText({ title: basename(root), sections: all, steps }),
  });
  await output.finish();
  return { hands: handsNeeded(all), steps };
}

/** Migrates a site. Throws a MigrationError, having written nothing, where it cannot be done. */
export async function migrateSite({ site, out, shownOut, env, now }: MigrateOptions): Promise<MigratedSite> {
  const root = await realFolder(site);
  const end = now() + MAX_SECONDS * 1000;
  const output = await openOutputFolder(out, root);
  try {
    const found = await findSite(root, env);
    const written: WrittenFiles = new Map();
    const assertTime = () => {
      if (now() > end) throw new MigrationError(`it takes longer than ${MAX_SECONDS} seconds`);
    };
    const workspace = await migrateWorkspace({ ...found, written, assertTime }, found);
    return await finish(output, found, written, { out: shellWord(shownOut), ...workspace });
  } catch (error) {
    await output.discard();
    throw error;
  }
}
