// The media store in a folder: the contract, and what only files have.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { UnsettledUpload } from '../../../src/stores/media-store.ts';
import { beginUpload, bytesAt, bytesOf, keysOf, named, storeFile } from '../../contracts/media-cases.ts';
import { mediaStoreContract } from '../../contracts/media-store.ts';
import { filesBelow, temporaryFolder } from '../../helpers/temp/folders.ts';
import { diskMedia, type LogLine, openInFolder } from './workbench.ts';

mediaStoreContract('disk', openInFolder);

describe('a media folder', () => {
  it('is accessible for its owner only', async () => {
    const path = join(await temporaryFolder(), 'media');
    await storeFile(diskMedia(path), '1/d/c/a.txt', bytesOf('a'));
    expect((await stat(join(path, '1/d/c/a.txt'))).mode & 0o777).toBe(0o600);
    for (const folder of ['', '1', '1/d', '.uploads']) {
      expect((await stat(join(path, folder))).mode & 0o777).toBe(0o700);
    }
  });

  it('is not created before the first upload, and healthy if it can be created', async () => {
    const root = await temporaryFolder();
    const store = diskMedia(join(root, 'not', 'there'));
    await store.health();
    expect(await keysOf(store)).toEqual([]);
    expect(await store.stat('1/d/c/a.txt')).toBeUndefined();
    expect(await readdir(root)).toEqual([]);
  });

  it('holds files only: a socket in it is neither listed nor read', async () => {
    const path = join(await temporaryFolder(), 'media');
    const store = diskMedia(path);
    await storeFile(store, '1/d/c/a.txt', bytesOf('a'));
    const socket = createServer().listen(join(path, '1/d/c/socket'));
    await once(socket, 'listening');
    onTestFinished(() => void socket.close());
    expect(await store.stat('1/d/c/socket')).toBeUndefined();
    expect(await store.read('1/d/c/socket')).toBeUndefined();
    await store.remove(['1/d/c/socket']);
    expect(await keysOf(store)).toEqual(['1/d/c/a.txt']);
    expect(await readdir(join(path, '1/d/c'))).toContain('socket');
  });

  it('is unhealthy where a file is in the place of a folder above it, and holds nothing', async () => {
    const root = await temporaryFolder();
    await writeFile(join(root, 'file'), 'a file');
    const store = diskMedia(join(root, 'file', 'media'));
    await expect(store.health()).rejects.toMatchObject({ name: 'StoreError', reason: 'unavailable' });
    expect(await keysOf(store)).toEqual([]);
    expect(await store.stat('1/d/c/a.txt')).toBeUndefined();
    await store.remove(['1/d/c/a.txt']);
  });

  it('takes chunks of any length, empty ones too', async () => {
    const store = diskMedia(join(await temporaryFolder(), 'media'));
    const upload = await store.begin({ candidate: named('1/d/c/a.txt'), contentType: 'text/plain' });
    await upload.write(Readable.from(['', 'a', '', 'bc', ''].map(bytesOf)));
    expect(await bytesAt(store, await upload.publish())).toEqual(bytesOf('abc'));
    await upload.settle();
  });

  it('fails where the place of its staging folder is taken by a file', async () => {
    const path = join(await temporaryFolder(), 'media');
    await mkdir(path);
    await writeFile(join(path, '.uploads'), 'a file');
    const store = diskMedia(path);
    await expect(storeFile(store, '1/d/c/a.txt', bytesOf('a'))).rejects.toMatchObject({ name: 'StoreError' });
    expect(await readdir(path)).toEqual(['.uploads']);
  });

  // Of disks alone: buckets have no folders.
  it('publishes into folders that others empty at the same time', async () => {
    const store = diskMedia(join(await temporaryFolder(), 'media'));
    const files = Array.from({ length: 30 }, (_, index) => `1/d/c/folder/${index}.txt`);
    await Promise.all(
      files.map(async (key) => {
        for (let round = 0; round < 3; round += 1) {
          await storeFile(store, key, bytesOf(key));
          await store.remove([key]);
        }
        await storeFile(store, key, bytesOf(key));
      }),
    );
    expect(await keysOf(store)).toEqual([...files].sort());
  });

  it('follows no symbolic link that leads out of it', async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, 'outside'));
    await writeFile(join(root, 'outside', 'secret.txt'), 'secret');
    const path = join(root, 'media');
    const store = diskMedia(path);
    await storeFile(store, '1/d/c/a.txt', bytesOf('a'));
    await symlink(join(root, 'outside'), join(path, '1/d/c/folder'));
    await symlink(join(root, 'outside', 'secret.txt'), join(path, '1/d/c/link.txt'));
    await symlink(join(path, '.uploads'), join(path, '1/d/c/staging'));
    const going = await beginUpload(store, '1/d/c/b.txt', bytesOf('b'));
    const [staged = ''] = await readdir(join(path, '.uploads'));
    const keys = ['1/d/c/folder/secret.txt', '1/d/c/link.txt', `1/d/c/staging/${staged}`];
    for (const key of keys) {
      expect(await store.stat(key)).toBeUndefined();
      expect(await store.read(key)).toBeUndefined();
    }
    await store.remove(keys);
    expect(await keysOf(store)).toEqual(['1/d/c/a.txt']);
    const upload = await beginUpload(store, '1/d/c/folder/new.txt', bytesOf('new'));
    await expect(upload.publish()).rejects.toMatchObject({ reason: 'refused' });
    await upload.discard();
    await going.discard();
    expect(filesBelow(join(root, 'outside'))).toEqual(['secret.txt']);
  });

  it('follows a symbolic link to a folder inside, and may itself be one', async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, 'disk'));
    await symlink(join(root, 'disk'), join(root, 'media'));
    const store = diskMedia(join(root, 'media'));
    await storeFile(store, '1/d/c/a.txt', bytesOf('a'));
    await symlink(join(root, 'disk', '1'), join(root, 'disk', '2'));
    expect(await bytesAt(store, '2/d/c/a.txt')).toEqual(bytesOf('a'));
  });

  it('does not wait for the writer of a named pipe', async () => {
    const { spawnSync } = await import('node:child_process');
    const path = await temporaryFolder();
    expect(spawnSync('mkfifo', [join(path, 'pipe')]).status).toBe(0);
    expect(await diskMedia(path).read('pipe')).toBeUndefined();
    expect(await diskMedia(path).stat('pipe')).toBeUndefined();
  });

  it('is unavailable and logged once if it is a file', async () => {
    const path = join(await temporaryFolder(), 'media');
    await writeFile(path, '');
    const lines: LogLine[] = [];
    const store = diskMedia(path, lines);
    for (const _ of [1, 2]) {
      await expect(beginUpload(store, '1/d/c/a.txt', bytesOf('a'))).rejects.toMatchObject({
        reason: 'unavailable',
      });
    }
    await expect(beginUpload(store, '1/d/c/a.txt', bytesOf('a'))).rejects.toThrow('store: unavailable');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.message).toContain('media.basePath');
  });

  it('is unavailable for what needs a file descriptor while there is none, and then serves again', async () => {
    const { program, put, dispose } = await openInFolder();
    onTestFinished(dispose);
    await put('1/a.bin', bytesOf('a'));
    const script = `
      ${program}
      const { closeSync, openSync } = await import('node:fs');
      const drained = async (list) => { for await (const one of list) void one; };
      const upload = () => store.begin({ candidate: () => '1/b.bin', contentType: 'text/plain' });
      const written = async () => (await upload()).write((async function* () { yield Buffer.from('b'); })());
      const read = () => store.read('1/a.bin').then((stream) => drained(stream));
      const operations = [read, written, () => drained(store.list()), () => drained(store.unsettled(Date.now()))];
      const outcomes = () => Promise.all(operations.map((run) => run().then(() => 'done', ({ reason }) => reason)));
      const before = await outcomes();
      const held = [];
      try { for (;;) held.push(openSync('/dev/null')); } catch {}
      const without = await outcomes();
      for (const fd of held) closeSync(fd);
      console.log(JSON.stringify([before, without, await outcomes()]));
    `;
    const limited = 'ulimit -n 100 && exec "$@"';
    const node = [process.execPath, '--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync('sh', ['-c', limited, 'sh', ...node], { encoding: 'utf8' });
    const all = (outcome: string) => Array(4).fill(outcome);
    expect(JSON.parse(stdout || 'null'), stderr).toEqual([all('done'), all('unavailable'), all('done')]);
    expect(stderr.match(/too many files are open/g)).toHaveLength(1);
  });

  it('keeps what an upload left while that cannot be removed', async () => {
    const path = await temporaryFolder();
    const store = diskMedia(path);
    const upload = await beginUpload(store, '1/a.bin', bytesOf('a'));
    upload.abandon();
    const [part = ''] = (await readdir(join(path, '.uploads'))).filter((name) => name.endsWith('.part'));
    await rm(join(path, '.uploads', part));
    await mkdir(join(path, '.uploads', part));
    const left: UnsettledUpload[] = [];
    for await (const one of store.unsettled(Date.now() + 1000)) left.push(one);
    expect(left).toHaveLength(1);
    await expect(left[0]!.discard()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await readdir(join(path, '.uploads'))).toContain(part);
  });
});
