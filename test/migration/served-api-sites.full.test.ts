// Made-up sites of the older API, as many public ones are built: migrated, checked and served.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { check } from '../../src/cli/check.ts';
import { connectClient } from '../helpers/server-process/client.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { spawnServer } from '../helpers/server-process/server-process.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import {
  contentsOf,
  layFiles,
  type MigrationRun,
  packageFiles,
  runMigration,
  type SiteFiles,
} from './site-files.ts';

const envOf = ({ out }: MigrationRun) =>
  parseEnv(readFileSync(join(out, '.env'), 'utf8')) as Record<string, string>;

/** What `cloister check` says of the new workspace. */
async function checked(run: MigrationRun) {
  const io = captureIo(run.out, envOf(run));
  const code = await check({}, io);
  return { code, printed: io.printed };
}

/** The new site as it is served. */
async function served(run: MigrationRun, env: Readonly<Record<string, string>> = {}) {
  const server = await spawnServer({ cwd: run.out, env: { ...envOf(run), ...env } });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  return { server, client: await connectClient(server.url) };
}

const OPEN = {
  cache: true,
  authenticate: false,
  count: 40,
  sort: 'name',
  sortOrder: 1,
  index: [{ keys: { name: 1 } }],
};

/** API 2.2: JSON5, a hook with a package and `url`, references, media, an endpoint that reads a collection. */
const LIBRARY: SiteFiles = {
  'package.json': { name: 'library', dependencies: { '@dadi/api': '^2.2.0', 'to-slug': '1' } },
  'main.js': "require('@dadi/api')",
  'config/config.development.json': `{
  // Where the server listens.
  server: { host: '127.0.0.1', port: '8123' },
  "auth": { "tokenUrl": "/token", "tokenTtl": 900 },
  "caching": { "ttl": 60, "directory": { "enabled": false, "path": "./cache/api" }, "redis": { "enabled": false, "host": "" } },
  "media": { "storage": "disk", "basePath": "workspace/media", "pathFormat": "date", "defaultBucket": "mediaStore", },
  "paths": { "collections": "workspace/collections", "endpoints": "workspace/endpoints", "hooks": "workspace/hooks" },
  "feedback": true, "cors": true, "cluster": false,
}`,
  'workspace/collections/1.0/library/collection.books.json': {
    fields: {
      name: { type: 'String', required: true },
      slug: { type: 'String' },
      author: { type: 'Reference', settings: { collection: 'people', fields: ['name'] } },
      cover: { type: 'Reference', settings: { collection: 'mediaStore' } },
    },
    settings: {
      ...OPEN,
      hooks: { beforeCreate: [{ hook: 'slugify', options: { from: 'name', to: 'slug' } }] },
    },
  },
  'workspace/collections/1.0/library/collection.persons.json': {
    model: 'people',
    fields: { name: { type: 'String', required: true } },
    settings: OPEN,
  },
  'workspace/hooks/slugify.js': `var url = require('url');
var slug = require('to-slug');
module.exports = function (obj, type, data) {
  var query = url.parse(data.req.url, true).query;
  obj[data.options.to] = slug((query.prefix || '') + obj[data.options.from]);
  return obj;
};
`,
  'workspace/endpoints/1.0/endpoint.shelf.js': `var Model = require('@dadi/api').Model;
module.exports.get = function (req, res, next) {
  Model('books').find({}, { sort: { name: 1 } }, function (err, found) {
    if (err) return next(err);
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify(found.results.map(function (book) { return book.slug; })));
  });
};
module.exports.model = { settings: { authenticate: false } };
`,
  ...packageFiles(
    'to-slug',
    "module.exports = function (text) { return text.toLowerCase().replace(/[^a-z]+/g, '-'); };",
  ),
};

/** API 1.x: folders of its own, two environments, connection, a hook that asks for its own collection, a custom route, code that cannot move. */
const MAGAZINE: SiteFiles = {
  'config/config.production.json': {
    app: { name: 'magazine' },
    publicUrl: { protocol: 'https', host: 'api.magazine.example', port: 443 },
    server: { host: '0.0.0.0', port: 8080, protocol: 'http' },
    database: {
      hosts: [{ host: 'db.internal', port: 27018 }],
      username: 'editor',
      password: "p'@ss $1",
      database: 'magazine',
      ssl: true,
    },
    auth: { tokenUrl: '/token', clientCollection: 'clientStore' },
    logging: { enabled: true, level: 'warn', path: './log' },
    paths: { collections: './app/collections', endpoints: './app/endpoints', hooks: './app/hooks' },
    email: { user: 'post', password: 'never-shown-1' },
  },
  'config/config.test.json': { server: { port: 1 }, i18n: { languages: ['pt'] } },
  'app/collections/1.0/site/collection.articles.json': {
    fields: { name: { type: 'String' }, slug: { type: 'String' } },
    settings: { ...OPEN, hooks: { beforeCreate: ['unique'] } },
  },
  'app/collections/1.0/site/collection.letters.json': {
    fields: { name: { type: 'String' } },
    settings: { ...OPEN, hooks: { afterCreate: ['notify'] } },
  },
  'app/hooks/unique.js': `const Model = require('@dadi/api').Model;
module.exports = (obj, type, data) => new Promise((resolve, reject) => {
  Model(data.collection).find({ slug: obj.slug }, {}, (err, found) => {
    if (err) return reject(err);
    return found.results.length > 0 ? reject(new Error('This slug is taken')) : resolve(obj);
  });
});
`,
  'app/hooks/notify.js': `const request = require('request-promise');
module.exports = (obj) => request({ uri: 'https://mail.example.com/v1/send', method: 'POST' }).then(() => obj);
`,
  'app/endpoints/1.0/endpoint.hello.js': `exports.get = (req, res) => res.end('Hello ' + req.params.who);
exports.config = () => ({ route: '/1.0/greet/:who' });
exports.model = { settings: { authenticate: false } };
`,
};

describe('a site of the older API', () => {
  it('is served with its hooks, packages, references and media as before', async () => {
    const folder = await temporaryFolder();
    const site = layFiles(join(folder, 'site'), LIBRARY);
    const before = contentsOf(site);
    const run = await runMigration(folder);
    expect(run.complained).toEqual([]);
    // Whoever has no token sees books; of records of media that is for somebody to decide.
    const hands = run.report.split('\n').filter((line) => line.includes('needs a hand**:'));
    expect(hands).toEqual([expect.stringContaining('ids in place of the documents of `mediaStore`')]);
    expect(run.code).toBe(1);
    expect(contentsOf(site)).toEqual(before);
    expect(run.line('workspace/hooks/slugify.js')).toContain('bundled with `to-slug 1.0.0`');

    const { code, printed } = await checked(run);
    expect(code).toBe(0);
    expect(printed.filter((line) => !line.includes('without a token'))).toEqual([
      expect.stringMatching(/^no errors, \d warnings?$/),
    ]);

    const { client, server } = await served(run);
    const person = await client.request('POST', '/1.0/library/people', { name: 'Ada' });
    const author = person.body.results[0]._id;
    const made = await client.request('POST', '/1.0/library/books?prefix=my', {
      name: 'The Lighthouse',
      author,
    });
    expect(made.body).toMatchObject({ results: [{ slug: 'mythe-lighthouse' }] });
    const read = await fetch(`${server.url}/1.0/library/books?compose=true`);
    expect(await read.json()).toMatchObject({
      results: [{ name: 'The Lighthouse', author: { name: 'Ada' } }],
    });
    expect(await (await fetch(`${server.url}/1.0/shelf`)).json()).toEqual(['mythe-lighthouse']);
    const form = new FormData();
    form.set('file', new Blob(['cover']), 'cover.txt');
    const headers = { Authorization: `Bearer ${client.token}` };
    const upload = await fetch(`${server.url}/media`, { method: 'POST', body: form, headers });
    expect(upload.status).toBe(201);
  });

  it('says of each setting and file what became of it, and serves what can move', async () => {
    const folder = await temporaryFolder();
    layFiles(join(folder, 'site'), MAGAZINE);
    const run = await runMigration(folder, { env: 'production' });
    expect(run.code).toBe(1);
    const env = envOf(run);
    expect(env).toEqual({
      CLOISTER_DATABASE_MONGODB_URI: "mongodb://editor:p'%40ss%20%241@db.internal:27018/magazine?tls=true",
    });
    expect(JSON.parse(run.written('config.json'))).toEqual({
      database: { engine: 'mongodb' },
      logging: { level: 'warn' },
      publicUrl: 'https://api.magazine.example',
      server: { host: '0.0.0.0', port: 8080 },
    });
    const hands = run.report.split('\n').filter((line) => line.includes('hand**:'));
    expect(hands.map((line) => /`([^`]+)`/.exec(line)?.[1])).toEqual([
      ...['app/hooks/notify.js', 'auth.clientCollection', 'email.password', 'email.user'],
    ]);
    expect(run.line('app/hooks/notify.js')).toContain('line 1: `request-promise` reaches the machine');
    expect(run.line('app/hooks/notify.js')).toContain('"https://mail.example.com"');
    expect(run.report).not.toMatch(/never-shown-1|p'@ss/);
    expect(run.line('i18n.languages')).toContain('left out: `--env test` carries it over; would need a hand');

    const embedded = { CLOISTER_DATABASE_ENGINE: 'sqlite' };
    const { client, server } = await served(run, embedded);
    expect(await (await fetch(`${server.url}/1.0/greet/you`)).text()).toBe('Hello you');
    expect((await client.request('POST', '/1.0/site/articles', { name: 'One', slug: 'one' })).status).toBe(
      200,
    );
    const again = await client.request('POST', '/1.0/site/articles', { name: 'Two', slug: 'one' });
    expect(again.status).toBe(400);
    expect(JSON.stringify(again.body)).toContain('This slug is taken');
  });
});
