// A media folder on a full disk: the upload fails, leaves nothing, and others go on when there is room. The disk is a small one
// in memory, which a process of its own has to itself.
import { describe, expect, it } from 'vitest';
import { canMakeSmallDisk, onSmallDisk, temporaryFolder } from '../../helpers/temp/folders.ts';

const MEGABYTES = 4;
const STORE = new URL('../../../src/stores/disk-media/disk-media.ts', import.meta.url).href;

const PROGRAM = `
  const { openDiskMedia } = await import(${JSON.stringify(STORE)});
  const { readdirSync } = await import('node:fs');
  const lines = [];
  const log = { error: ({ fault }) => lines.push(fault) };
  const path = process.argv[1] + '/media';
  let last = 0;
  const random = () => String(++last).padStart(16, '0');
  const store = openDiskMedia({ path, prefix: '', log, now: Date.now, random });
  const upload = async (key, megabytes) => {
    const upload = await store.begin({ candidate: () => key, contentType: 'image/png' });
    try {
      await upload.write((async function* () {
        for (let n = 0; n < megabytes * 16; n += 1) yield Buffer.alloc(65536, 1);
      })());
      await upload.publish();
      await upload.settle();
      return 'done';
    } catch (error) {
      await upload.discard();
      return error.reason;
    }
  };
  const files = () => readdirSync(path, { recursive: true, withFileTypes: true }).filter((f) => !f.isDirectory()).length;
  const results = [await upload('1/a', 2), await upload('1/b', 8), files(), await upload('1/c', 1), files()];
  console.log(JSON.stringify({ results, lines }));
`;

describe.skipIf(!canMakeSmallDisk())('a full disk', () => {
  it('refuses an upload, keeps nothing of it, and takes the next one that fits', async () => {
    const { stdout, stderr } = onSmallDisk(await temporaryFolder(), PROGRAM, MEGABYTES);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ results: ['done', 'unavailable', 1, 'done', 2], lines: ['full'] });
  });
});
