// The contract of media stores about processes that end in the middle of an upload.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  all,
  beginUpload,
  bytesAt,
  bytesOf,
  type MediaSubject,
  someBytes,
  storeFile,
} from './media-cases.ts';

/** Runs an upload of `bytes` up to `stage` in a process of its own, and kills it there. */
async function crash(subject: MediaSubject, stage: 'writing' | 'written' | 'published', bytes: number) {
  const program = `
    ${subject.opened.program}
    const candidate = (n) => n === 0 ? '1/d/c/a.bin' : '1/d/c/a-' + n + '.bin';
    const upload = await store.begin({ candidate, contentType: 'image/png' });
    const die = () => new Promise(() => process.kill(process.pid, 'SIGKILL'));
    await upload.write((async function* () {
      for (let left = ${bytes}; left > 0; left -= 65536) yield Buffer.alloc(Math.min(left, 65536), 7);
      if ('${stage}' === 'writing') await die();
    })());
    if ('${stage}' === 'written') await die();
    await upload.publish();
    await die();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

const unsettled = (subject: MediaSubject) => all(subject.store.unsettled(Date.now() + 60_000));

export function mediaCrashContract(subject: MediaSubject): void {
  describe('crashes', () => {
    it.each([
      ['writing', 300_000],
      ['written', 300_000],
      ['writing', 20_000_000],
      ['written', 20_000_000],
    ] as const)(
      'while a file is %s (%i bytes) show nothing of it, and leave nothing once discarded',
      async (stage, bytes) => {
        await storeFile(subject.store, '1/d/c/neighbour.txt', bytesOf('stays'));
        await crash(subject, stage, bytes);
        expect(await all(subject.store.list())).toHaveLength(1);
        expect(await subject.store.stat('1/d/c/a.bin')).toBeUndefined();
        for (const upload of await unsettled(subject)) {
          expect(upload.key).toBeUndefined();
          await upload.discard();
        }
        expect(await subject.opened.everything()).toEqual(['1/d/c/neighbour.txt']);
        expect(await unsettled(subject)).toEqual([]);
      },
    );

    it.each([300_000, 20_000_000])(
      'leave a published file of %i bytes whole, to be settled or discarded',
      async (bytes) => {
        await crash(subject, 'published', bytes);
        await crash(subject, 'published', bytes);
        const uploads = await unsettled(subject);
        expect(uploads.map(({ key }) => key).sort()).toEqual(['1/d/c/a-1.bin', '1/d/c/a.bin']);
        expect(await subject.store.stat('1/d/c/a.bin')).toMatchObject({ size: bytes });
        await uploads.find(({ key }) => key === '1/d/c/a.bin')?.settle();
        await uploads.find(({ key }) => key === '1/d/c/a-1.bin')?.discard();
        expect(await subject.opened.everything()).toEqual(['1/d/c/a.bin']);
        expect(await unsettled(subject)).toEqual([]);
      },
    );

    it('never touch a file of another upload that has got the name since', async () => {
      await crash(subject, 'published', 1000);
      await subject.store.remove(['1/d/c/a.bin']);
      await storeFile(subject.store, '1/d/c/a.bin', bytesOf('another'));
      const uploads = await unsettled(subject);
      expect(uploads.map(({ key }) => key)).toEqual([undefined]);
      for (const upload of uploads) await upload.discard();
      expect(await bytesAt(subject.store, '1/d/c/a.bin')).toEqual(bytesOf('another'));
      expect(await subject.opened.everything()).toEqual(['1/d/c/a.bin']);
    });

    it('are found, but no uploads that still run or are too young', async () => {
      const going = await beginUpload(subject.store, '1/d/c/going.bin', someBytes(1000));
      await crash(subject, 'published', 1000);
      expect(await all(subject.store.unsettled(Date.now() - 3_600_000))).toEqual([]);
      expect((await unsettled(subject)).map(({ key }) => key)).toEqual(['1/d/c/a.bin']);
      expect(await going.publish()).toBe('1/d/c/going.bin');
      expect((await unsettled(subject)).map(({ key }) => key)).toEqual(['1/d/c/a.bin']);
      await going.settle();
    });

    it('are not needed for an upload to be found that was abandoned', async () => {
      const left = await beginUpload(subject.store, '1/d/c/a.bin', someBytes(1000));
      await left.publish();
      left.abandon();
      const uploads = await unsettled(subject);
      expect(uploads.map(({ key }) => key)).toEqual(['1/d/c/a.bin']);
      for (const upload of uploads) await upload.discard();
      expect(await subject.opened.everything()).toEqual([]);
    });
  });
}
