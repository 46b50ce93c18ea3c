// Made-up sites of the older CDN, as many public ones are built: migrated, checked and served.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { check } from '../../src/cli/check.ts';
import { metadataOf, picture } from '../helpers/fixtures/images.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { spawnServer } from '../helpers/server-process/server-process.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { layFiles, type MigrationRun, runMigration, type SiteFiles } from './site-files.ts';

const envOf = ({ out }: MigrationRun) =>
  parseEnv(readFileSync(join(out, '.env'), 'utf8')) as Record<string, string>;

async function served(run: MigrationRun) {
  const io = captureIo(run.out, envOf(run));
  expect({ code: await check({}, io), printed: io.printed }).toMatchObject({ code: 0 });
  const server = await spawnServer({ cwd: run.out, env: envOf(run) });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  return server;
}

const jpeg = () => picture(300, 200, (image) => image.jpeg());

/** CDN 1.x: a folder of images, recipes, a route, one client. */
const GALLERY: SiteFiles = {
  'config/config.development.json': {
    server: { host: '127.0.0.1', port: 8081 },
    auth: { tokenUrl: '/token', clientId: 'gallery', secret: "it's a secret" },
    images: {
      directory: { enabled: true, path: './pictures' },
      s3: { enabled: false, accessKey: '', bucketName: '' },
      remote: { enabled: false, path: 'http://localhost:3000' },
    },
    assets: { directory: { enabled: false, path: './public' } },
    caching: {
      ttl: 3600,
      directory: { enabled: true, path: './cache/' },
      redis: { enabled: false, host: '', port: 6379 },
    },
    security: { maxWidth: 2000, maxHeight: 1000 },
    headers: {
      useGzipCompression: true,
      cacheControl: {
        default: 'public, max-age=7200',
        paths: [],
        mimetypes: [{ 'text/css': 'public, max-age=60' }],
      },
    },
    notFound: { statusCode: 404, images: { enabled: false, path: './images/missing.png' } },
    status: { enabled: false, port: 8003 },
    gzip: true,
  },
  'workspace/recipes/thumbnail.json':
    '{ "recipe": "thumbnail", "settings": { "format": "png", "width": "100", /* as text */ "quality": "80", } }',
  'workspace/routes/by-device.json': {
    route: 'by-device',
    branches: [{ recipe: 'thumbnail', condition: { device: 'mobile' } }, { recipe: 'thumbnail' }],
  },
};

/** CDN 2.x: all images come from another server, a plugin, a processor. */
const shop = (origin: string): SiteFiles => ({
  'package.json': { dependencies: { '@dadi/cdn': '^2.0.0' } },
  'config/config.production.json': {
    server: { host: '0.0.0.0', port: 8001 },
    auth: { clientId: '', secret: '' },
    images: {
      remote: { enabled: true, path: `${origin}/media`, allowFullURL: false },
      directory: { enabled: false, path: '' },
    },
    headers: { cacheControl: { default: 'no-cache', paths: [{ '/a': 'no-store' }], mimetypes: [] } },
    cloudfront: { enabled: true, accessKey: 'never-shown-2' },
    cluster: true,
  },
  'workspace/recipes/square.json': {
    recipe: 'square',
    path: '/products',
    settings: { format: 'png', width: 50, height: 50 },
  },
  'workspace/recipes/duotone.json': { recipe: 'duotone', plugins: ['duotone'] },
  'workspace/plugins/duotone.js': 'module.exports.post = () => {};',
  'workspace/processors/collage.js': 'module.exports = function () {};',
});

describe('a site of the older CDN', () => {
  it('is served with its recipes, routes, images and client as before', async () => {
    const folder = await temporaryFolder();
    const site = layFiles(join(folder, 'site'), GALLERY);
    layFiles(site, { 'pictures/none.txt': 'text' });
    writeFileSync(join(site, 'pictures/sea.jpg'), await jpeg());
    const run = await runMigration(folder);
    expect(run.report.match(/.*hand\*\*:.*/g)).toBeNull();
    expect(run.code).toBe(0);
    expect(JSON.parse(run.written('config.json'))).toMatchObject({
      delivery: {
        host: '127.0.0.1',
        port: 8081,
        cacheControl: 'public, max-age=7200',
        render: { maxOutputPixels: 2_000_000 },
      },
      images: { directory: { enabled: true, path: join(site, 'pictures') } },
      server: { port: 8082 },
    });
    const server = await served(run);
    const image = await fetch(`${server.deliveryUrl}/thumbnail/sea.jpg`);
    expect(image.status).toBe(200);
    expect(image.headers.get('cache-control')).toContain('max-age=7200');
    expect(await metadataOf(Buffer.from(await image.arrayBuffer()))).toMatchObject({
      format: 'png',
      width: 100,
    });
    const sized = await fetch(`${server.deliveryUrl}/sea.jpg?w=60&h=40&resize=aspectfill&fmt=png`);
    expect(await metadataOf(Buffer.from(await sized.arrayBuffer()))).toMatchObject({
      format: 'png',
      width: 60,
      height: 40,
    });
    expect((await fetch(`${server.deliveryUrl}/by-device/sea.jpg`)).headers.get('content-type')).toBe(
      'image/png',
    );
    expect(await (await fetch(`${server.deliveryUrl}/none.txt`)).text()).toBe('text');
    const login = await fetch(`${server.deliveryUrl}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId: 'gallery', secret: "it's a secret" }),
    });
    expect(login.status).toBe(200);
  });

  it('fetches images from where they were, and says what cannot move', async () => {
    const body = await jpeg();
    const origin = createServer((request, response) => {
      response.statusCode = request.url === '/media/products/chair.jpg' ? 200 : 404;
      response.setHeader('content-type', 'image/jpeg');
      response.end(body);
    });
    await new Promise<void>((listening) => origin.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void origin.close());
    const folder = await temporaryFolder();
    layFiles(join(folder, 'site'), shop(`http://127.0.0.1:${(origin.address() as AddressInfo).port}`));
    const run = await runMigration(folder);
    expect(run.code).toBe(1);
    const hands = run.report.split('\n').filter((line) => line.includes('hand**:'));
    expect(hands.map((line) => /`([^`]+)`/.exec(line)?.[1])).toEqual([
      ...[
        'workspace/plugins/duotone.js',
        'workspace/processors/collage.js',
        'workspace/recipes/duotone.json',
      ],
      ...['cloudfront.accessKey', 'cloudfront.enabled', 'headers.cacheControl.paths', 'images.remote.path'],
    ]);
    expect(run.report).not.toContain('never-shown-2');
    const server = await served(run);
    const image = await fetch(`${server.deliveryUrl}/square/chair.jpg`);
    expect(image.status).toBe(200);
    expect(await metadataOf(Buffer.from(await image.arrayBuffer()))).toMatchObject({
      format: 'png',
      width: 50,
    });
    const sized = await fetch(`${server.deliveryUrl}/products/chair.jpg?width=40`);
    expect(await metadataOf(Buffer.from(await sized.arrayBuffer()))).toMatchObject({ width: 40 });
  });
});
