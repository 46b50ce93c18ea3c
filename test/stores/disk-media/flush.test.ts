// What is on the disk when an upload is published: the order in which a process of its own flushes and links, seen at the
// calls of the system.
import { spawnSync } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Flush } from '../../../src/stores/disk-media/flush.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const STORE = new URL('../../../src/stores/disk-media/disk-media.ts', import.meta.url).href;

/** Uploads two files of one name, and tells the calls in their order, paths below the folder. */
const PROGRAM = `
  import { createRequire, syncBuiltinESMExports } from 'node:module';
  import { readlinkSync } from 'node:fs';
  const fs = createRequire('/')('node:fs/promises');
  const [root, hasLinks] = [process.argv[1], process.argv[2] === 'links'];
  const calls = [];
  const below = (path) => String(path).slice(root.length + 1).replace(/[0-9]{13}-[^/]*[.]/, 'ID.');
  const watch = (name, told) => {
    const real = fs[name];
    fs[name] = async (...args) => {
      if (name === 'link' && !hasLinks) throw Object.assign(new Error('no links'), { code: 'EPERM' });
      const result = await real(...args);
      calls.push(name + ' ' + below(args[told]));
      return result;
    };
  };
  watch('link', 1);
  watch('symlink', 1);
  watch('rename', 1);
  const probe = await fs.open(root, 'r');
  const { sync } = Object.getPrototypeOf(probe);
  await probe.close();
  Object.getPrototypeOf(probe).sync = async function () {
    const path = readlinkSync('/proc/self/fd/' + this.fd);
    await sync.call(this);
    calls.push('flush ' + below(path));
  };
  syncBuiltinESMExports();
  const { openDiskMedia } = await import(${JSON.stringify(STORE)});
  const sync_ = process.argv[3] !== 'unflushed';
  const store = openDiskMedia({ path: root + '/media', prefix: '', sync: sync_, log: console, now: Date.now });
  for (const name of ['first', 'second']) {
    const upload = await store.begin({ candidate: (n) => '1/d/' + (n === 0 ? 'a' : 'a-' + n), contentType: 'a/b' });
    await upload.write((async function* () { yield Buffer.from(name); })());
    await upload.publish();
    calls.push('published');
    await upload.settle();
  }
  console.log(JSON.stringify(calls));
`;

async function callsOf(...how: readonly string[]): Promise<readonly string[]> {
  const args = ['--input-type=module', '-e', PROGRAM, await temporaryFolder(), ...how];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

/** Whether each of these comes after the one before it, beginning after index `from`. */
function expectOrder(calls: readonly string[], order: readonly string[], from = -1): void {
  let at = from;
  for (const call of order) {
    const next = calls.indexOf(call, at + 1);
    expect(next, `${call} in ${calls.slice(at + 1).join(', ')}`).toBeGreaterThan(-1);
    at = next;
  }
}

describe.runIf(process.platform === 'linux')('a published file', () => {
  it('is on the disk with its journal before it gets its name, and with its name when that is told', async () => {
    const calls = await callsOf('links');
    for (const journal of ['flush media/.uploads/ID.part', 'flush media/.uploads', 'flush media']) {
      expectOrder(calls, [journal, 'link media/1/d/a', 'flush media/1/d', 'published']);
    }
    // Of the folders that were made, the names too.
    expectOrder(calls, ['link media/1/d/a', 'flush media/1', 'published']);
    expect(calls.filter((call) => call === 'flush ').length).toBe(1);
  });

  it('under another name than asked for has that in its journal first, and flushes no folder without need', async () => {
    const calls = await callsOf('links');
    const second = calls.indexOf('published');
    const order = [
      ...['flush media/.uploads/ID.part', 'symlink media/.uploads/ID.link', 'flush media/.uploads'],
      ...['link media/1/d/a-1', 'flush media/1/d', 'published'],
    ];
    expectOrder(calls, order, second);
    expect(calls.slice(second)).not.toContain('flush media/1');
  });

  it('is as safe where there are no links', async () => {
    const calls = await callsOf('no links');
    const order = [
      ...['flush media/.uploads/ID.json', 'flush media/.uploads', 'rename media/1/d/a', 'flush media/1/d'],
      'published',
    ];
    expectOrder(calls, order);
    expectOrder(calls, ['flush media/.uploads/ID.part', 'rename media/1/d/a']);
  });

  it('is flushed nowhere where nobody wants that', async () => {
    const calls = await callsOf('links', 'unflushed');
    expect(calls.filter((call) => call.startsWith('flush'))).toEqual([]);
    expect(calls).toContain('link media/1/d/a');
  });
});

describe('the flush of a folder', () => {
  it('is shared by those who come while another runs, and never by those it came too early for', async () => {
    const flush = new Flush(true);
    const folder = await temporaryFolder();
    const ended: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        await flush.folder(folder);
        ended.push(at);
      }),
    );
    expect(ended).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });

  it('that fails is one of those who asked, and not of those who come later', async () => {
    const flush = new Flush(true);
    const folder = join(await temporaryFolder(), 'folder');
    const early = await Promise.allSettled([flush.folder(folder), flush.folder(folder)]);
    expect(early.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await mkdir(folder);
    await flush.folder(folder);
  });

  // Root may read everything.
  const itAsUser = process.getuid?.() === 0 ? () => undefined : it;
  itAsUser('is left out where the folder may be written and not read', async () => {
    const folder = join(await temporaryFolder(), 'folder');
    await mkdir(folder, { mode: 0o300 });
    await new Flush(true).folder(folder);
  });

  it('passes an error of the disk on', async () => {
    const flush = new Flush(true);
    const failing = { sync: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) };
    await expect(flush.file(failing)).rejects.toMatchObject({ code: 'EIO' });
    const unable = { sync: () => Promise.reject(Object.assign(new Error('EINVAL'), { code: 'EINVAL' })) };
    await flush.file(unable);
    const handle = await open(join(await temporaryFolder(), 'a'), 'w');
    await flush.file(handle);
    await handle.close();
  });
});
