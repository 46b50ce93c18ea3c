// Endpoints and hooks: copied where they need nothing, bundled with what they require, each with a policy for what it names.
import { join } from 'node:path';
import { AppError } from '../../errors/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { assertModuleAddress, type ModuleAddress } from '../../modules/model/module-types.ts';
import type { PolicyParser } from '../../modules/policy/policy.ts';
import type { NamedAccess } from '../../modules/source-text/named-access.ts';
import { inspectSyntax } from '../../modules/versions/code-validation.ts';
import { bundleModules } from '../code/bundle.ts';
import { type GraphIssue, type ModuleGraph, readModuleGraph } from '../code/module-graph.ts';
import { isBcryptModule, isServerModule } from '../code/required-modules.ts';
import type { SiteEntry } from '../files/list-folder.ts';
import { named } from '../report/report.ts';
import {
  type FolderFiles,
  type MigratedCollection,
  noteSpecial,
  partsBelow,
  type SiteContents,
} from '../site/site-contents.ts';
import { draftPolicy } from './policies.ts';

const ENDPOINT_FILE = /^endpoint\.(?<name>.+)\.js$/s;
const HOOK_FILE = /^(?<name>.+)\.js$/s;

export interface ModuleOptions {
  readonly collections: readonly MigratedCollection[];
  readonly policies: PolicyParser;
  /** Bytes that the code of one module may have. */
  readonly maxBytes: number;
  /** The older configuration. */
  readonly settings: JsonObject;
  /** Gets the names of settings that policies have the values of. */
  readonly readSettings: Set<string>;
}

interface FoundModule {
  readonly entry: SiteEntry;
  readonly address: ModuleAddress;
}

/** Undefined where the file is none of a module. */
function addressOf(kind: 'endpoints' | 'hooks', parts: readonly string[]): ModuleAddress | undefined {
  const [first = '', second = ''] = parts;
  const isHook = kind === 'hooks';
  if (parts.length !== (isHook ? 1 : 2)) return undefined;
  const name = (isHook ? HOOK_FILE.exec(first) : ENDPOINT_FILE.exec(second))?.groups?.['name'];
  if (name === undefined) return undefined;
  return isHook ? { kind: 'hook', name } : { kind: 'endpoint', apiVersion: first, name };
}

/** What is wrong with the name or the version of a module, in words. */
function addressIssues(address: ModuleAddress): readonly string[] {
  try {
    assertModuleAddress(address);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.items.map(({ field = '', message }) => `left out: its ${field} ${message}`);
  }
}

const targetOf = (address: ModuleAddress, ending: string) =>
  address.kind === 'hook'
    ? `hooks/${address.name}.${ending}`
    : `endpoints/${address.apiVersion}/endpoint.${address.name}.${ending}`;

const issueText = ({ id, line, message }: GraphIssue, entry: string | undefined) =>
  id === entry ? `line ${line}: ${message}` : `${named(id)}, line ${line}: ${message}`;

/** What the files of the site name, those of packages aside. */
function accessOf({ modules }: ModuleGraph): NamedAccess {
  const all = modules.flatMap(({ access }) => access ?? []);
  return {
    isOpen: all.some(({ isOpen }) => isOpen),
    models: all.flatMap(({ models }) => models),
    configs: all.flatMap(({ configs }) => configs),
    addresses: all.flatMap(({ addresses }) => addresses),
    unnamedRequests: all.flatMap(({ unnamedRequests }) => unnamedRequests),
  };
}

/** Code that is whole by itself stays as it is; other code is bundled. */
async function codeOf(
  site: SiteContents,
  graph: ModuleGraph,
  { entry }: FoundModule,
  maxBytes: number,
): Promise<string | undefined> {
  const { section } = site;
  const { path } = entry;
  const [first, ...others] = graph.modules;
  const addIssue = (issue: GraphIssue) => section.add(path, 'hand', issueText(issue, first?.id));
  for (const issue of [...graph.problems, ...graph.warnings]) addIssue(issue);
  if (first === undefined) return undefined;
  const isWhole = others.length === 0 && !first.isModule;
  if (isWhole || graph.problems.length > 0) {
    const inspection = await inspectSyntax(first.text);
    if (!inspection.ok) section.add(path, 'hand', `it would be refused: ${inspection.message}`);
    return first.text;
  }
  const bundle = await bundleModules(graph, maxBytes);
  if ('problems' in bundle) {
    for (const issue of bundle.problems) addIssue(issue);
    return first.text;
  }
  const packages = [...new Set(others.flatMap(({ packageName }) => packageName ?? []))];
  const files = others.filter(({ packageName }) => packageName === undefined).map(({ id }) => id);
  const parts = [...packages.sort(), ...files.sort()].map(named).join(', ');
  section.add(path, 'changed', parts === '' ? 'as CommonJS' : `bundled with ${parts}`);
  for (const { file, packageName } of others) {
    const own = file.slice(site.root.length + 1);
    if (packageName === undefined) section.add(own, 'changed', `in the bundle of ${named(path)}`);
  }
  return bundle.text;
}

function asksServer(graph: ModuleGraph, { models, configs }: NamedAccess): string | undefined {
  if (!graph.external.some(isServerModule) || models.length + configs.length > 0) return undefined;
  return `what it asks of ${graph.external.filter(isServerModule).map(named).join(', ')} cannot be read: grant the collections in a policy`;
}

/** Whether requests without a token may run it. */
function isOpenModule(
  address: ModuleAddress,
  { isOpen }: NamedAccess,
  collections: readonly MigratedCollection[],
): boolean {
  if (address.kind === 'endpoint') return isOpen;
  return collections.some(({ openHooks }) => openHooks.has(address.name));
}

async function migrateModule(site: SiteContents, found: FoundModule, options: ModuleOptions): Promise<void> {
  const { section, written } = site;
  const { entry, address } = found;
  const graph = await readModuleGraph(join(site.root, entry.path), site);
  const code = await codeOf(site, graph, found, options.maxBytes);
  if (code === undefined) return;
  written.set(targetOf(address, 'js'), code);
  const access = accessOf(graph);
  const { text, hands, config } = await draftPolicy(access, address, {
    ...options,
    isOpen: isOpenModule(address, access, options.collections),
    usesBcrypt: graph.external.some(isBcryptModule),
  });
  for (const name of config) options.readSettings.add(name);
  if (text !== undefined) {
    const policy = targetOf(address, 'policy.json');
    written.set(policy, text);
    section.add(entry.path, 'changed', `${named(policy)} grants what it names`);
  }
  const asked = asksServer(graph, access);
  if (hands.length > 0 || asked !== undefined)
    section.add(entry.path, 'hand', ...hands, ...(asked === undefined ? [] : [asked]));
  section.add(entry.path, 'kept');
}

/** Brings endpoints or hooks over. Other files of their folder are those that the code requires, or nothing's. */
export async function migrateModules(
  site: SiteContents,
  kind: 'endpoints' | 'hooks',
  found: FolderFiles,
  options: ModuleOptions,
): Promise<void> {
  const others: SiteEntry[] = [];
  for (const entry of found.entries) {
    site.assertTime();
    if (noteSpecial(site.section, entry) || entry.kind === 'folder') continue;
    const address = addressOf(kind, partsBelow(found, entry));
    const issues = address === undefined ? [] : addressIssues(address);
    if (address === undefined) others.push(entry);
    else if (issues.length > 0) site.section.add(entry.path, 'hand', ...issues);
    else await migrateModule(site, { entry, address }, options);
  }
  const known = new Set(site.section.lines.map(({ subject }) => subject));
  const form = kind === 'hooks' ? '`hooks/<name>.js`' : '`endpoints/<version>/endpoint.<name>.js`';
  for (const { path } of others) {
    if (!known.has(path))
      site.section.add(path, 'changed', `left out: it is not ${form}, and no code requires it`);
  }
}
