import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { openMediaStore } from '../../src/setup/media.ts';
import { startApp } from '../helpers/app/app.ts';
import { formOf, startMediaServer, upload } from '../helpers/app/media-server.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';
import { diskMedia } from '../stores/disk-media/workbench.ts';

const KEY = '1.0/library/pictures/a.txt';
const log = createLogger({ level: 'silent', format: 'json', secrets: [] });

async function configOf(file: JsonObject, env: Readonly<Record<string, string>> = {}) {
  const workspace = createWorkspace({}, file);
  const { config } = await loadConfig({ flags: {}, env, cwd: workspace.cwd });
  workspace.remove();
  return config;
}

async function publish(store: Awaited<ReturnType<typeof openMediaStore>>): Promise<void> {
  const upload = await store.begin({ candidate: () => KEY, contentType: 'text/plain' });
  await upload.write(
    (async function* () {
      yield Buffer.from('x');
    })(),
  );
  await upload.publish();
}

describe('the folder of media files', () => {
  it.each<[string, JsonObject, string]>([
    ['lies in the workspace in use', { workspace: { path: 'elsewhere' } }, 'elsewhere/media'],
    ['may lie anywhere else', { media: { basePath: 'files' } }, 'files'],
  ])('%s', async (_where, file, folder) => {
    const cwd = await temporaryFolder();
    const { workspace, media } = file as Record<'workspace' | 'media', Record<string, string> | undefined>;
    const env = {
      ...(workspace?.['path'] && { CLOISTER_WORKSPACE_PATH: workspace['path'] }),
      ...(media?.['basePath'] && { CLOISTER_MEDIA_BASE_PATH: media['basePath'] }),
    };
    const store = await openMediaStore(await configOf({}, env), { cwd, now: Date.now, log });
    await publish(store);
    expect(existsSync(join(cwd, folder, KEY))).toBe(true);
    await store.close();
  });
});

it('a bucket is opened where the configuration names one', async () => {
  const s3 = { bucketName: 'pictures', region: 'x', endpoint: 'http://127.0.0.1:9' };
  const env = { CLOUD_S3_ACCESS_KEY: 'key', CLOUD_S3_SECRET_KEY: 'secret' };
  const config = await configOf({ media: { storage: 's3', s3 } }, env);
  const store = await openMediaStore(config, { cwd: '/', now: Date.now, log });
  expect(store.pathOf(KEY)).toBe(`workspace/media/${KEY}`);
  expect(store.cloudUrlOf(KEY)).toBe(`http://127.0.0.1:9/pictures/workspace/media/${KEY}`);
  await store.close();
});

it('a bucket takes files below the default path where the folder has an absolute one', async () => {
  const s3 = { bucketName: 'pictures', region: 'x', endpoint: 'http://127.0.0.1:9' };
  const env = { CLOUD_S3_ACCESS_KEY: 'key', CLOUD_S3_SECRET_KEY: 'secret' };
  const config = await configOf({ media: { storage: 's3', basePath: '/srv/files', s3 } }, env);
  const store = await openMediaStore(config, { cwd: '/', now: Date.now, log });
  expect(store.pathOf(KEY)).toBe(`workspace/media/${KEY}`);
  await store.close();
});

describe('a start', () => {
  it('fails where files of clients would lie among specifications, and names the setting', async () => {
    const workspace = createWorkspace({}, { media: { basePath: 'workspace/collections' } });
    await expect(startApp({ workspace })).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      items: [{ field: 'media.basePath' }],
    });
    workspace.remove();
  });

  it('warns of a folder that cannot be made, and serves what needs none', async () => {
    const workspace = createWorkspace({}, { media: { basePath: 'x/'.repeat(2100) } });
    const app = await startApp({ workspace });
    expect((await app.inject('GET', '/health')).status).toBe(200);
    await app.close();
    workspace.remove();
  });

  it('ends uploads that were cut off, whether or not documents have databases of their own', async () => {
    for (const enableCollectionDatabases of [false, true]) {
      const server = await startMediaServer({ database: { enableCollectionDatabases } });
      const { path } = (await server.upload([{ fileName: 'kept.txt', body: 'x' }])).body.results[0];
      await server.app.close();

      // What a process leaves that ended before the commit.
      const media = join(server.workspace.path, 'media');
      await publish(diskMedia(media));
      expect(filesBelow(media)).toContain(KEY);

      const again = await startApp({ workspace: server.workspace });
      await expect.poll(() => filesBelow(media)).toEqual([path]);
      await again.close();
      server.workspace.remove();
    }
  });

  it('makes no folder where nobody uploads', async () => {
    const server = await startMediaServer();
    await server.app.started;
    expect(existsSync(join(server.workspace.path, 'media'))).toBe(false);
    await server.close();
  });

  it('serves an upload whose folder cannot be written with a 5xx that names no path', async () => {
    const server = await startMediaServer();
    const media = join(server.workspace.path, 'media');
    await mkdir(media);
    await writeFile(join(media, '.uploads'), 'in the way');
    const { status, body } = await server.send(formOf([{ fileName: 'a', body: 'x' }]));
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain(server.workspace.path);
    await server.close();
  });

  it('refuses an upload through a link that leads out, makes nothing there, and tells the log where', async () => {
    const log: string[] = [];
    const outside = await temporaryFolder();
    const specs = { '1.0/library/pictures': { fields: {}, settings: { type: 'media' } } };
    const workspace = createWorkspace(specs, {});
    const app = await startApp({ workspace, log });
    const library = join(workspace.path, 'media/1.0/library');
    await mkdir(library, { recursive: true });
    await symlink(outside, join(library, 'pictures'));
    const send = () => upload(app, '/1.0/library/pictures', { content: 'x' }, { token });
    const token = await app.adminToken();
    const { status, headers, body } = await send();
    expect([status, headers['retry-after']]).toEqual([409, undefined]);
    expect(body.errors).toEqual([{ code: 'UPLOAD_REFUSED', message: expect.stringContaining('the log') }]);
    expect(JSON.stringify(body)).not.toContain('/');
    expect(filesBelow(outside)).toEqual([]);
    expect(await readdir(outside)).toEqual([]);
    expect(filesBelow(join(workspace.path, 'media'))).toEqual([]);
    expect(log.filter((line) => line.includes('"fault":"outside"') && line.includes(library))).toHaveLength(
      1,
    );
    // Without the link it is stored.
    await unlink(join(library, 'pictures'));
    expect((await send()).status).toBe(201);
    await app.close();
    workspace.remove();
  });

  it('takes uploads again after its folder was removed while it ran', async () => {
    const server = await startMediaServer();
    const file = { fileName: 'a.txt', body: 'x' };
    expect((await server.upload([file])).status).toBe(201);
    await rm(join(server.workspace.path, 'media'), { recursive: true });
    const { status, body } = await server.upload([file]);
    expect(status).toBe(201);
    const bytes = await server.inject('GET', `/1.0/library/pictures/${body.results[0]._id}/file`);
    expect([bytes.status, bytes.text]).toEqual([200, 'x']);
    await server.close();
  });
});
