// One file on its way into the media folder: what the contract cannot see.
import { chmod, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { beginUpload, bytesAt, bytesOf, chunksOf, named, someBytes } from '../../contracts/media-cases.ts';
import { filesBelow, temporaryFolder } from '../../helpers/temp/folders.ts';
import { diskMedia } from './workbench.ts';

describe('an upload to disk', () => {
  it('can be discarded while its source still sends', async () => {
    const path = await temporaryFolder();
    const upload = await diskMedia(path).begin({ candidate: named('1/a.bin'), contentType: 'text/plain' });
    const source = async function* () {
      yield* chunksOf(someBytes(1_000_000));
      await upload.discard();
      yield* chunksOf(someBytes(1_000_000));
    };
    await expect(upload.write(source())).rejects.toMatchObject({ reason: 'failed' });
    expect(filesBelow(path)).toEqual([]);
  });

  it('does not publish when somebody emptied the staging folder', async () => {
    const path = await temporaryFolder();
    const upload = await beginUpload(diskMedia(path), '1/a.bin', bytesOf('a'));
    await rm(join(path, '.uploads'), { recursive: true });
    await expect(upload.publish()).rejects.toMatchObject({ reason: 'unavailable' });
    await upload.discard();
    expect(filesBelow(path)).toEqual([]);
  });

  it('discarded after somebody replaced its file, leaves the other file alone', async () => {
    const path = await temporaryFolder();
    const store = diskMedia(path);
    const upload = await beginUpload(store, '1/a.bin', bytesOf('mine'));
    await upload.publish();
    await unlink(join(path, '1/a.bin'));
    const other = await beginUpload(store, '1/a.bin', bytesOf('other'));
    await other.publish();
    await upload.discard();
    await other.settle();
    expect(await bytesAt(store, '1/a.bin')).toEqual(bytesOf('other'));
  });

  // Root may write everywhere.
  const itAsUser = process.getuid?.() === 0 ? () => undefined : it;
  itAsUser('leaves nothing where the folder may not be written', async () => {
    const path = await temporaryFolder();
    await chmod(path, 0o500);
    await expect(beginUpload(diskMedia(path), '1/a.bin', bytesOf('a'))).rejects.toMatchObject({
      reason: 'unavailable',
    });
    await chmod(path, 0o700);
    expect(await readdir(path)).toEqual([]);
  });
});
