// Where the default bucket of media is implied, and where a specification or its documents keep it away.
import { expect, test } from 'vitest';
import { createSiteRegistry } from '../../src/collections/default-bucket.ts';
import type { CollectionAddress } from '../../src/collections/model/collection.ts';
import { parseSpecification } from '../../src/collections/specifications/parse-specification.ts';
import type { Config } from '../../src/config/schema.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';

interface Site {
  readonly bucket?: string;
  readonly enabled?: boolean;
  readonly separate?: boolean;
}

/** The registry of a site with these specifications by `version/database/name`. */
function registryOf(specs: Readonly<Record<string, JsonObject>>, site: Site = {}) {
  const { bucket = 'mediaStore', enabled, separate = false } = site;
  const media = { defaultBucket: bucket, ...(enabled !== undefined && { enabled }) };
  const config = { media, database: { enableCollectionDatabases: separate } } as unknown as Config;
  const registry = createSiteRegistry(config);
  for (const [path, spec] of Object.entries(specs)) {
    const [version = '', database = '', name = ''] = path.split('/');
    const address: CollectionAddress = { version, database, name };
    const options = { enableCollectionDatabases: separate, defaultBucket: bucket };
    registry.put(parseSpecification({ settings: {}, ...spec }, address, options).collection);
  }
  return registry;
}

const impliedIn = (specs: Readonly<Record<string, JsonObject>>, site?: Site) =>
  registryOf(specs, site)
    .list()
    .filter(({ implied }) => implied)
    .map(({ path }) => path);

const to = (collection: string, more: JsonObject = {}): JsonObject => ({
  fields: { image: { type: 'Reference', settings: { collection, ...more } } },
});
const PLAIN: JsonObject = { fields: { a: {} } };

test('the bucket is implied where a reference or a Media field names it, in that version and database', () => {
  expect(impliedIn({ '1.0/a/x': to('mediaStore') })).toEqual(['/1.0/a/mediaStore']);
  expect(impliedIn({ '1.0/a/x': { fields: { m: { type: 'Media' } } } })).toEqual(['/1.0/a/mediaStore']);
  expect(impliedIn({ '1.0/a/x': { fields: { m: { type: 'Media' } } } }, { bucket: 'files' })).toEqual([
    '/1.0/a/files',
  ]);
  expect(impliedIn({ '1.0/a/x': to('mediastore'), '1.0/a/y': PLAIN })).toEqual([]);
  expect(impliedIn({ '1.0/a/x': to('mediaStore') }, { enabled: false })).toEqual(['/1.0/a/mediaStore']);
  const both = { '1.0/a/x': to('mediaStore', { database: 'b' }), '1.0/b/y': PLAIN };
  expect(impliedIn(both)).toEqual(['/1.0/b/mediaStore']);
});

test('a database that is named and has no folder means its own, unless databases are separate', () => {
  const specs = { '1.0/a/x': to('mediaStore', { database: 'b' }) };
  expect(impliedIn(specs)).toEqual(['/1.0/a/mediaStore']);
  expect(impliedIn(specs, { separate: true })).toEqual(['/1.0/b/mediaStore']);
});

test('a specification with the same documents takes its place, whatever its path', () => {
  const specs = { '1.0/a/x': to('mediaStore'), '2.0/b/mediaStore': PLAIN };
  expect(impliedIn(specs)).toEqual([]);
  expect(impliedIn(specs, { separate: true })).toEqual(['/1.0/a/mediaStore']);
  expect(impliedIn({ '1.0/a/x': to('mediaStore'), '1.0/a/MEDIASTORE': PLAIN })).toEqual([]);
});

test('revisions that are kept under its name keep it away', () => {
  const settings = { storeRevisions: true, revisionCollection: 'mediaStore' };
  expect(impliedIn({ '1.0/a/x': to('mediaStore'), '1.0/a/y': { ...PLAIN, settings } })).toEqual([]);
});

test('a name that no collection may have is implied nowhere', () => {
  expect(impliedIn({ '1.0/a/x': PLAIN }, { bucket: 'system.files', enabled: true })).toEqual([]);
});

test('media.enabled implies it in each version and database of a site without media collections', () => {
  const specs = { '1.0/a/x': PLAIN, '1.0/a/y': PLAIN, '2.0/b/x': PLAIN };
  expect(impliedIn(specs, { enabled: true })).toEqual(['/1.0/a/mediaStore', '/2.0/b/mediaStore']);
  expect(impliedIn(specs)).toEqual([]);
  expect(impliedIn({}, { enabled: true })).toEqual([]);
  const media = { fields: {}, settings: { type: 'media' } };
  expect(impliedIn({ ...specs, '1.0/a/images': media }, { enabled: true })).toEqual([]);
});

test('it stays one object while others change, and follows the names of internals of those that refer to it', () => {
  const registry = registryOf({ '1.0/a/x': to('mediaStore') });
  const before = registry.get('1.0', 'a', 'mediaStore');
  registry.put(registryOf({ '1.0/a/y': PLAIN }).list()[0]!);
  expect(registry.get('1.0', 'a', 'mediaStore')).toBe(before);
  expect(before?.settings.underscored).toBe(false);
  const older = registryOf({ '1.0/a/x': { ...to('mediaStore'), settings: { internals: 'underscored' } } });
  expect(older.get('1.0', 'a', 'mediaStore')?.settings.underscored).toBe(true);
});

test('a specification that cannot be read withholds it until it is mended or removed', () => {
  const registry = registryOf({ '1.0/a/x': to('mediaStore'), '2.0/b/x': to('mediaStore') });
  const address = { version: '2.0', database: 'b', name: 'mediaStore' };
  registry.withhold(address);
  expect(registry.list().filter(({ implied }) => implied)).toEqual([]);
  registry.remove(address);
  expect(registry.list().filter(({ implied }) => implied)).toHaveLength(2);
});

test('what a change would imply can be asked before it is made', () => {
  const registry = registryOf({ '1.0/a/y': PLAIN });
  const [user] = registryOf({ '1.0/a/x': to('mediaStore') }).list();
  const after = registry.replacing('/1.0/a/x', user);
  expect(after.get('1.0', 'a', 'mediaStore')).toMatchObject({ implied: true });
  expect(after.list().map(({ path }) => path)).toContain('/1.0/a/mediaStore');
  expect(registry.get('1.0', 'a', 'mediaStore')).toBeUndefined();
});
