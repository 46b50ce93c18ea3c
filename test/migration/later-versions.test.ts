// What a site of version 3 and later has that earlier ones had not, and code that names what only Node has.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { layFiles, runMigration, type SiteFiles } from './site-files.ts';

async function migrated(files: SiteFiles) {
  const folder = await temporaryFolder();
  layFiles(join(folder, 'site'), files);
  return { ...(await runMigration(folder)), folder };
}

const CONFIG = 'config/config.development.json';
const A = 'collections/1.0/db/collection.a.json';
const COLLECTION = { fields: { name: { type: 'String' } } };

describe('the names of internals', () => {
  it.each([
    ['a datastore', { [CONFIG]: { datastore: '@dadi/api-mongodb' } }, 'underscored'],
    [
      'a file for MongoDB',
      { [CONFIG]: {}, 'config/mongodb.development.json': { hosts: 'a:1' } },
      'underscored',
    ],
    ['a file for the filestore', { [CONFIG]: {}, 'config/filestore.development.json': {} }, 'underscored'],
    ['a prefix', { [CONFIG]: { datastore: 'x', internalFieldsPrefix: '_' } }, 'underscored'],
    ['no prefix', { [CONFIG]: { datastore: 'x', internalFieldsPrefix: '' } }, undefined],
    ['a database in its settings', { [CONFIG]: { database: { hosts: [] } } }, undefined],
    [
      'its package, which says more than its settings',
      { [CONFIG]: { datastore: 'x' }, 'package.json': { dependencies: { '@dadi/api': '2.2' } } },
      undefined,
    ],
  ])('are told by %s', async (_what, files, internals) => {
    const run = await migrated({ ...files, [`workspace/${A}`]: COLLECTION });
    expect(JSON.parse(run.written(A)).settings?.internals).toBe(internals);
  });
});

describe('a filestore', () => {
  it('is told with the command that brings its documents over', async () => {
    const run = await migrated({
      [CONFIG]: { datastore: '@dadi/api-filestore' },
      'config/filestore.development.json': { database: { path: 'workspace/db' } },
      'workspace/db/site.db': '{}',
    });
    expect(run.report).toContain(
      `\`cloister import --from ${join(run.folder, 'site/workspace/db')} --clients\``,
    );
    expect(run.line('config/filestore.development.json')).toContain('its settings are in');
    expect(run.line('filestore.database.path')).toContain('hand');
  });
});

describe('buckets of media', () => {
  const bucketsOf = async (media: object, fields: object, more: SiteFiles = {}) => {
    const run = await migrated({
      [CONFIG]: { media, feedback: true },
      [`workspace/${A}`]: { fields },
      ...more,
    });
    return [...run.report.matchAll(/collection\.(\w+)\.json` changed: made/g)].map(([, name]) => name);
  };

  it.each([
    [{}, {}, []],
    [{ defaultBucket: 'pictures' }, {}, ['pictures']],
    [{ buckets: ['pictures', 'files'] }, {}, ['files', 'pictures']],
    [{ buckets: ['no/name'] }, {}, []],
    [{}, { cover: { type: 'Media' } }, ['mediaStore']],
    [{ buckets: ['a'] }, {}, []],
    [{ buckets: ['art'] }, { cover: { type: 'Media', settings: { mediaBucket: 'art' } } }, ['art']],
    [{}, { cover: { type: 'Reference', settings: { collection: 'mediaStore' } } }, ['mediaStore']],
  ])(
    'that are named in %j, or by %j, get the specification that they need here',
    async (media, fields, made) => {
      expect(await bucketsOf(media, fields)).toEqual(made);
    },
  );
});

describe('code', () => {
  const lineOf = async (path: string, code: string) =>
    (await migrated({ [CONFIG]: { feedback: true }, [`workspace/${path}`]: code })).line(`workspace/${path}`);

  it.each([
    [
      "exports.get = (q, r) => r.end(Buffer.from('x'))",
      'line 1: `Buffer` is not there: write `const { Buffer }',
    ],
    ['exports.get = (q, r) => r.end(process.env.X)', 'line 1: `process` is not there'],
    ['\nexports.get = (q, r) => r.end(__dirname)', 'line 2: `__dirname` is not there'],
  ])('is told of names of Node that it has not: %s', async (code, told) => {
    const line = await lineOf('endpoints/1.0/endpoint.e.js', code);
    expect(line).toContain('**needs a hand**');
    expect(line).toContain(told);
  });

  it.each([
    "const { Buffer } = require('buffer'); exports.get = (q, r) => r.end(Buffer.from('x'))",
    "exports.get = (q, r) => r.end(typeof process === 'undefined' ? '' : process.version)",
    'exports.get = (q, r) => { try { process.nextTick(() => 0) } catch { r.end() } }',
    'exports.get = (q, r) => r.end(q.process, { Buffer: 1 })',
  ])('is not told of what it does without: %s', async (code) => {
    expect(await lineOf('endpoints/1.0/endpoint.e.js', code)).toContain('kept');
  });

  it.each([
    ['endpoints/1.0/endpoint.search.js', 'left out: its name `search` is reserved'],
    ['endpoints/1.0/endpoint.a b.js', 'left out: its name must be'],
    ['endpoints/api/endpoint.a.js', 'left out: its version `api` is reserved'],
    ['hooks/a.b.js', 'left out: its name must be'],
  ])('that may have no such name is told: %s', async (path, told) => {
    expect(await lineOf(path, '')).toContain(`**needs a hand**: ${told}`);
  });

  it.each([
    "const b = require('bcrypt-as-promised'); const u = require('./u'); module.exports = (o) => b.hash(u, 4)",
    "import b from 'bcryptjs'; export default (o) => b.compare(o.a, o.b)",
  ])('that hashes passwords gets the grant for it: %s', async (code) => {
    const run = await migrated({
      [CONFIG]: { feedback: true },
      'workspace/hooks/h.js': code,
      'workspace/hooks/u.js': 'module.exports = "x"',
    });
    expect(JSON.parse(run.written('hooks/h.policy.json')).grants.bcrypt).toBeDefined();
    expect(run.line('workspace/hooks/h.js')).not.toContain('hand');
  });
});
