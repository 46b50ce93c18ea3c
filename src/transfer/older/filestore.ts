// The databases of a filestore: one for each file, with what the filestore itself wrote into documents taken out again. It made UUIDs,
// which no path reaches and no Reference field takes: each of them becomes an id of the same form as ours, always the same one,
// wherever it stands.
import { lstat, readdir } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { importError } from '../import-entry.ts';
import { type FilestoreCollection, MAX_FILESTORE_BYTES, readFilestoreFile } from './filestore-file.ts';
import type { MemberQuery, OlderDatabase } from './older-database.ts';

const EXTENSIONS: ReadonlySet<string> = new Set(['.db', '.json']);
const PAGE_SIZE = 500;

/** What the filestore writes into the member `meta` of each document. */
const META_MEMBERS: readonly string[] = ['revision', 'created', 'updated', 'version'];

interface FoundFiles {
  readonly files: readonly string[];
  readonly notices: readonly string[];
  /** Whether files are those of a folder, among which there may be others. */
  readonly isFolder: boolean;
}

/** The files at a path. Throws DOCUMENT_INVALID where there is none, and errors of the operating system. */
async function findFiles(path: string): Promise<FoundFiles> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) {
    throw importError(basename(path), 'is a symbolic link, which is not followed: name what it leads to');
  }
  if (!found.isDirectory()) return { files: [path], notices: [], isFolder: false };
  const entries = (await readdir(path, { withFileTypes: true }))
    .filter(({ name }) => EXTENSIONS.has(parse(name).ext))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const files = entries.filter((entry) => entry.isFile());
  const links = entries.filter((entry) => entry.isSymbolicLink());
  if (files.length === 0) {
    throw importError(basename(path), 'the folder holds no file of a filestore: *.db or *.json');
  }
  return {
    files: files.map(({ name }) => join(path, name)),
    notices: links.map(({ name }) => `${name} is left out: it is a symbolic link`),
    isFolder: true,
  };
}

/** What documents had beside what the filestore wrote. */
function withoutMeta({ $loki: _, meta, ...document }: JsonObject): JsonObject {
  if (meta === undefined) return document;
  if (!isJsonObject(meta)) return { ...document, meta };
  const own = Object.entries(meta).filter(([name]) => !META_MEMBERS.includes(name));
  // A field of this name lost nothing to the filestore, which added its members to it.
  return own.length === 0 ? document : { ...document, meta: Object.fromEntries(own) };
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const MAX_SECONDS = 0xff_ff_ff_ff;
const MAX_POSITION = 0xff_ff_ff;

const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;

const hexadecimal = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/**
 * The id for a document that a filestore gave a UUID: when it was created, its position, and a part of the hash of the UUID. So ids
 * have the order in which the documents were created. Undefined for any other id.
 */
function filestoreId(document: JsonObject): string | undefined {
  const { _id, _createdAt, createdAt, $loki, meta } = document;
  if (typeof _id !== 'string' || !UUID.test(_id)) return undefined;
  const stored = isJsonObject(meta) ? meta['created'] : undefined;
  const created = numberOf(_createdAt) ?? numberOf(createdAt) ?? numberOf(stored) ?? 0;
  const seconds = Math.min(Math.floor(created / 1000), MAX_SECONDS);
  const position = Math.min(Math.floor(numberOf($loki) ?? 0), MAX_POSITION);
  return hexadecimal(seconds, 8) + hexadecimal(position, 6) + sha256Hex(_id.toLowerCase()).slice(0, 10);
}

/** A value with the new ids in place of the old ones, as names of members too. */
function replaceIds(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return ids.get(value) ?? value;
  if (Array.isArray(value)) return value.map((element: Json) => replaceIds(element, ids));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [ids.get(name) ?? name, replaceIds(member, ids)]),
  );
}

interface FilestoreDatabase {
  readonly name: string;
  readonly collections: readonly FilestoreCollection[];
  readonly notices: readonly string[];
}

function openDatabase(
  { name, collections, notices }: FilestoreDatabase,
  ids: ReadonlyMap<string, string>,
): OlderDatabase {
  const byName = new Map(collections.map((collection) => [collection.name, collection.documents]));
  const read = (document: JsonObject) => replaceIds(withoutMeta(document), ids) as JsonObject;
  const indexes = new Map<string, ReadonlyMap<Json, readonly JsonObject[]>>();

  /** Documents of a collection by what a member holds. */
  const indexOf = (collection: string, { member, include }: MemberQuery) => {
    const key = JSON.stringify([collection, member, include]);
    const known = indexes.get(key);
    if (known !== undefined) return known;
    const found = new Map<Json, JsonObject[]>();
    for (const stored of byName.get(collection) ?? []) {
      const document = read(stored);
      const value = document[member];
      const wanted = ['_id', ...include].filter((one) => document[one] !== undefined);
      const projected = Object.fromEntries(wanted.map((one) => [one, document[one] ?? null]));
      for (const one of Array.isArray(value) ? value : [value ?? null]) {
        const others = found.get(one);
        if (others === undefined) found.set(one, [projected]);
        else others.push(projected);
      }
    }
    indexes.set(key, found);
    return found;
  };

  return {
    name,
    notices,
    collections: collections.map((one) => ({ name: one.name, documents: one.documents.length })),
    async *pages(collection) {
      const documents = byName.get(collection) ?? [];
      for (let at = 0; at < documents.length; at += PAGE_SIZE) {
        yield documents.slice(at, at + PAGE_SIZE).map(read);
      }
    },
    async findByMember(collection, query) {
      const index = indexOf(collection, query);
      return [...new Set(query.values.flatMap((value) => index.get(value) ?? []))];
    },
  };
}

/**
 * Opens the filestore at `path`, an absolute path of a file or of a folder with one for each database. Links are not followed.
 * Throws DOCUMENT_INVALID naming file and place, and errors of the operating system.
 */
export async function openFilestore(path: string): Promise<readonly OlderDatabase[]> {
  const { files, notices, isFolder } = await findFiles(path);
  const databases: FilestoreDatabase[] = [];
  const ids = new Map<string, string>();
  const skipped: string[] = [];
  let left = MAX_FILESTORE_BYTES;
  for (const file of files) {
    const { bytes, collections } = await readFilestoreFile(file, left);
    left -= bytes;
    if (collections === undefined) {
      if (!isFolder) throw importError(basename(file), 'is no filestore: it has no list `collections`');
      skipped.push(`${basename(file)} is left out: it is no filestore`);
      continue;
    }
    for (const { name, rejected } of collections) {
      if (rejected > 0)
        skipped.push(`${basename(file)}: ${rejected} entries of ${name} are left out: they are no objects`);
    }
    databases.push({ name: parse(file).name, collections, notices: [] });
    for (const document of collections.flatMap((collection) => collection.documents)) {
      const id = filestoreId(document);
      if (id !== undefined) ids.set(document['_id'] as string, id);
    }
  }
  const changed = ids.size.toLocaleString('en');
  const renamed =
    ids.size === 0
      ? []
      : [`${changed} documents had UUIDs, which no path reaches: they and what refers to them have new ids`];
  return databases.map((database, at) =>
    openDatabase(at === 0 ? { ...database, notices: [...notices, ...skipped, ...renamed] } : database, ids),
  );
}
