// Specifications of collections: copied where they are JSON already, written anew where they are looser or had another name.
import { checkCollectionAddress } from '../../collections/specifications/collection-address.ts';
import { DEFAULT_BUCKET } from '../../collections/specifications/older-fields.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { SiteEntry } from '../files/list-folder.ts';
import { named } from '../report/report.ts';
import { MAX_JSON_BYTES, readJson5 } from '../settings/json5.ts';
import {
  type FolderFiles,
  type MigratedCollection,
  noteSpecial,
  partsBelow,
  type SiteContents,
} from '../site/site-contents.ts';

const FILE_NAME = /^collection\.(?<name>.+)\.json$/s;
/** Parts of a path: version, database, file. */
const DEPTH = 3;

/** The collections that Reference and Media fields name, in the same database unless they say otherwise. */
function referencedBy(source: JsonObject): readonly string[] {
  const fields = source['fields'];
  return Object.values(isJsonObject(fields) ? fields : {}).flatMap((field) => {
    const settings = isJsonObject(field) ? field['settings'] : undefined;
    const { database, collection, mediaBucket } = isJsonObject(settings) ? settings : {};
    const isMedia = isJsonObject(field) && field['type'] === 'Media';
    const name =
      database === undefined ? (isMedia ? (mediaBucket ?? DEFAULT_BUCKET) : collection) : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/** The method whose requests an event is part of. */
function methodOf(event: string): string {
  if (/Create$/.test(event)) return 'POST';
  if (/Update$/.test(event)) return 'PUT';
  return /Delete$/.test(event) ? 'DELETE' : 'GET';
}

/** The names in one member of `settings.hooks`: texts, or objects with options beside the name. */
function namesIn(list: Json): readonly string[] {
  const entries = Array.isArray(list) ? (list as readonly Json[]) : [list];
  return entries.flatMap((entry) => {
    const name = isJsonObject(entry) ? entry['hook'] : entry;
    return typeof name === 'string' ? [name] : [];
  });
}

/** `authenticate` lists the methods that need a token; true, as without it, means all. */
function openMethodsOf(authenticate: Json | undefined): ReadonlySet<string> {
  if (authenticate === false) return new Set(METHODS);
  const needing = Array.isArray(authenticate) ? (authenticate as readonly Json[]) : METHODS;
  return new Set(METHODS.filter((method) => !needing.includes(method)));
}

/** How the settings of a specification let its collection be used: its hooks, and what needs no token. */
function readUse({ settings }: JsonObject): Pick<MigratedCollection, 'hooks' | 'openHooks' | 'openMethods'> {
  const { hooks, authenticate } = isJsonObject(settings) ? settings : {};
  const openMethods = openMethodsOf(authenticate);
  const uses = Object.entries(isJsonObject(hooks) ? hooks : {}).flatMap(([event, list]) =>
    namesIn(list).map((name) => ({ name, isOpen: openMethods.has(methodOf(event)) })),
  );
  return {
    hooks: new Set(uses.map(({ name }) => name)),
    openHooks: new Set(uses.flatMap(({ name, isOpen }) => (isOpen ? [name] : []))),
    openMethods,
  };
}

interface ReadCollection extends MigratedCollection {
  readonly referenced: readonly string[];
  /** Of its file, in the site. */
  readonly path: string;
}

function targetName(source: JsonObject, fileName: string): string {
  const { model } = source;
  return typeof model === 'string' && model !== '' ? model : fileName;
}

/** The names that internals had in version 3 and later, unless the specification says something itself. */
function withUnderscores(source: JsonObject): JsonObject {
  const settings = source['settings'] ?? {};
  if (!isJsonObject(settings) || Object.hasOwn(settings, 'internals')) return source;
  return { ...source, settings: { ...settings, internals: 'underscored' } };
}

async function readCollection(
  site: SiteContents,
  entry: SiteEntry,
  { parts, isUnderscored }: { readonly parts: readonly string[]; readonly isUnderscored: boolean },
): Promise<ReadCollection | undefined> {
  const { section, written, files, root } = site;
  const { path } = entry;
  const [version = '', database = '', file = ''] = parts;
  const fileName = FILE_NAME.exec(file)?.groups?.['name'];
  if (parts.length !== DEPTH || fileName === undefined) {
    section.add(
      path,
      'changed',
      'left out: it is not `<version>/<database>/collection.<name>.json`, which the older server did not read either',
    );
    return undefined;
  }
  const read = await files.read(`${root}/${path}`, MAX_JSON_BYTES);
  const json = 'text' in read ? readJson5(read.text) : read;
  if (!('text' in read) || !('value' in json)) {
    section.add(path, 'hand', `left out: ${'why' in json ? json.why : ''}`);
    return undefined;
  }
  const name = targetName(json.value, fileName);
  const issues = checkCollectionAddress({ version, database, name });
  if (issues.length > 0) {
    section.add(
      path,
      'hand',
      ...issues.map(({ field = '', message }) => `left out: the name of the ${field} ${message}`),
    );
    return undefined;
  }
  const target = `collections/${version}/${database}/collection.${name}.json`;
  if (written.has(target)) {
    section.add(path, 'hand', `left out: there is another specification of ${named(name)}`);
    return undefined;
  }
  const value = isUnderscored ? withUnderscores(json.value) : json.value;
  const notes = [
    ...(json.isLoose ? ['as plain JSON'] : []),
    ...(json.repeated.length > 0
      ? [`${named(json.repeated[0] ?? '')} is given twice; the last one counts`]
      : []),
    ...(name === fileName
      ? []
      : [`now ${named(`collection.${name}.json`)}: its ${named('model')} was its name`]),
    ...(value !== json.value
      ? ['with `settings.internals`: this version of the older server named them `_createdAt`, `_version`, …']
      : []),
  ];
  const isRewritten = json.isLoose || value !== json.value;
  written.set(target, isRewritten ? `${JSON.stringify(value, null, 2)}\n` : read.text);
  section.add(path, notes.length === 0 ? 'kept' : 'changed', ...notes);
  return { path, version, database, name, ...readUse(value), referenced: referencedBy(value) };
}

/** A bucket of media files of the older server. */
export interface MediaBucket {
  readonly name: string;
  /** Whether the configuration names it: then it was there also where nothing refers to it. */
  readonly isNamed: boolean;
}

/** The older server had buckets of media files without a specification, in no database. */
function addBuckets(
  { section, written }: SiteContents,
  collections: readonly ReadCollection[],
  buckets: readonly MediaBucket[],
): void {
  for (const { name: bucket, isNamed } of buckets) {
    const referring = collections.filter(({ referenced }) => referenced.includes(bucket));
    const isMade = collections.some(({ name }) => name === bucket);
    const places = referring.length > 0 || isMade || !isNamed ? referring : collections.slice(0, 1);
    for (const { version, database } of places) {
      const target = `collections/${version}/${database}/collection.${bucket}.json`;
      if (written.has(target) || checkCollectionAddress({ version, database, name: bucket }).length > 0)
        continue;
      written.set(
        target,
        `${JSON.stringify({ fields: {}, settings: { type: 'mediaCollection' } }, null, 2)}\n`,
      );
      section.add(
        `workspace/${target}`,
        'changed',
        'made: the older server had this bucket of media files without a file',
      );
    }
  }
}

/** Without a token the older server composed what it gave to nobody without one otherwise. */
function noteClosedReferences({ section }: SiteContents, collections: readonly ReadCollection[]): void {
  for (const { path, version, database, referenced, openMethods } of collections) {
    if (!openMethods.has('GET')) continue;
    for (const name of new Set(referenced)) {
      const target = collections.find(
        (one) => one.version === version && one.database === database && one.name === name,
      );
      // A bucket that was made has no other setting than a collection without any.
      if (target?.openMethods.has('GET') === true) continue;
      section.add(
        path,
        'hand',
        `whoever has no token sees ids in place of the documents of ${named(name)}, which needs one: give that one \`settings.authenticate\` without \`GET\`, such as \`["POST","PUT","DELETE"]\``,
      );
    }
  }
}

interface CollectionOptions {
  /** Names of media buckets that may have no specification. */
  readonly buckets: readonly MediaBucket[];
  /** Whether clients know the internals as `_createdAt`, `_version`, …. */
  readonly isUnderscored: boolean;
}

/** Brings all specifications over. */
export async function migrateCollections(
  site: SiteContents,
  found: FolderFiles,
  { buckets, isUnderscored }: CollectionOptions,
): Promise<readonly MigratedCollection[]> {
  const collections: ReadCollection[] = [];
  for (const entry of found.entries) {
    site.assertTime();
    if (noteSpecial(site.section, entry) || entry.kind === 'folder') continue;
    const collection = await readCollection(site, entry, { parts: partsBelow(found, entry), isUnderscored });
    if (collection !== undefined) collections.push(collection);
  }
  addBuckets(site, collections, buckets);
  noteClosedReferences(site, collections);
  return collections;
}
