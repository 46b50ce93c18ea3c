// Files of one upload in the staging folder.
import { link, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  bytesPath,
  findFileIdentity,
  isStaged,
  publishByMove,
  publishStaged,
  readJournal,
  removeStaged,
  settleStaged,
  stagedUploads,
  uploadId,
} from '../../../src/stores/disk-media/disk-journal.ts';
import { Flush } from '../../../src/stores/disk-media/flush.ts';
import { MediaFolder } from '../../../src/stores/disk-media/media-folder.ts';
import { filesBelow, temporaryFolder } from '../../helpers/temp/folders.ts';

const ID = uploadId(1_700_000_000_000, '0123456789abcdef', 'final');

it('the identity of a file stays with it under every name, and is not that of a copy', async () => {
  const path = await temporaryFolder();
  await writeFile(join(path, 'a'), 'text');
  const identity = await findFileIdentity(join(path, 'a'));
  await link(join(path, 'a'), join(path, 'b'));
  await rename(join(path, 'b'), join(path, 'c'));
  expect(await findFileIdentity(join(path, 'c'))).toBe(identity);
  await writeFile(join(path, 'copy'), 'text');
  expect(await findFileIdentity(join(path, 'copy'))).not.toBe(identity);
  expect(await findFileIdentity(path)).toBeUndefined();
  expect(await findFileIdentity(join(path, 'missing'))).toBeUndefined();
});

it('a journal of a file system without links counts for nothing when it is cut off', async () => {
  const folder = new MediaFolder(await temporaryFolder(), new Flush(true));
  await folder.makeStaging();
  expect(await readJournal(folder, ID)).toBeUndefined();
  await writeFile(bytesPath(folder, ID), 'text');
  const identity = await findFileIdentity(bytesPath(folder, ID));
  expect(await publishByMove(folder, ID, { key: 'ü.txt', file: join(folder.path, 'ü.txt') })).toBe(true);
  expect(await readJournal(folder, ID)).toEqual({ key: 'ü.txt', identity });
  const file = join(folder.staging, `${ID}.json`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (const text of [
    (await readFile(file, 'utf8')).slice(0, -3),
    '',
    'null',
    '{"key":1,"identity":"1 2"}',
  ]) {
    await writeFile(file, text);
    expect(await readJournal(folder, ID)).toBeUndefined();
  }
});

it('staged uploads are found with their time, and what others put there is not touched', async () => {
  const folder = new MediaFolder(await temporaryFolder(), new Flush(true));
  expect(await stagedUploads(folder)).toEqual(new Map());
  await folder.makeStaging();
  await writeFile(bytesPath(folder, ID), '');
  await symlink('../a', join(folder.staging, `${ID}.link`));
  await writeFile(join(folder.staging, 'notes.json'), '');
  await writeFile(join(folder.staging, ID), '');
  expect(await stagedUploads(folder)).toEqual(new Map([[ID, 1_700_000_000_000]]));
  await removeStaged(folder, ID);
  expect(filesBelow(folder.path)).toEqual([`.uploads/${ID}`, '.uploads/notes.json']);
});

it.each([
  ['a link', publishStaged],
  ['a move', publishByMove],
])('%s gives bytes a free name and never that of another file', async (_, publish) => {
  const folder = new MediaFolder(await temporaryFolder(), new Flush(true));
  await folder.makeStaging();
  const other = uploadId(1_700_000_000_001, '0123456789abcdef', 'final');
  for (const id of [ID, other]) await writeFile(bytesPath(folder, id), id);
  const to = (key: string) => ({ key, file: join(folder.path, key) });
  const identity = await findFileIdentity(bytesPath(folder, ID));
  expect(await publish(folder, ID, to('final'))).toBe(true);
  expect(await readJournal(folder, ID)).toEqual({ key: 'final', identity });
  expect(await publish(folder, other, to('final'))).toBe(false);
  expect(await readFile(to('final').file, 'utf8')).toBe(ID);
  expect(await isStaged(folder, other)).toBe(true);
  expect(await publish(folder, other, to('next'))).toBe(true);
  expect(await readJournal(folder, other)).toMatchObject({ key: 'next' });
  expect(await readFile(to('next').file, 'utf8')).toBe(other);
  await removeStaged(folder, ID);
  await removeStaged(folder, other);
  await expect(publish(folder, ID, to('third'))).rejects.toMatchObject({ code: 'ENOENT' });
  await removeStaged(folder, ID);
  expect(filesBelow(folder.path)).toEqual(['final', 'next']);
});

it.each([
  ['a short key', '1/d/ü.txt'],
  ['a key too long for a file name', `1/${'x'.repeat(250)}`],
])('an upload of %s is found again with it, and leaves nothing once settled', async (_, key) => {
  const folder = new MediaFolder(await temporaryFolder(), new Flush(true));
  await folder.makeStaging();
  const file = join(folder.path, key);
  await folder.makeParent(file);
  const id = uploadId(1_700_000_000_000, '0123456789abcdef', key);
  await writeFile(bytesPath(folder, id), 'text');
  const identity = await findFileIdentity(bytesPath(folder, id));
  expect(await publishStaged(folder, id, { key, file })).toBe(true);
  expect([...(await stagedUploads(folder)).keys()]).toEqual([id]);
  expect(await readJournal(folder, id)).toEqual({ key, identity });
  await settleStaged(folder, id, key);
  expect(await filesBelow(folder.path)).toEqual([key]);
});

it('an upload whose bytes were moved leaves nothing once settled', async () => {
  const folder = new MediaFolder(await temporaryFolder(), new Flush(true));
  await folder.makeStaging();
  await writeFile(bytesPath(folder, ID), 'text');
  expect(await publishByMove(folder, ID, { key: 'final', file: join(folder.path, 'final') })).toBe(true);
  await settleStaged(folder, ID, 'final');
  expect(await filesBelow(folder.path)).toEqual(['final']);
});

it('a folder in place of a file of an upload is an error, not a missing journal', async () => {
  const folder = new MediaFolder(await temporaryFolder(), new Flush(true));
  await folder.makeStaging();
  await mkdir(join(folder.staging, `${ID}.json`));
  await expect(readJournal(folder, ID)).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(removeStaged(folder, ID)).rejects.toMatchObject({
    code: expect.stringMatching(/EISDIR|EPERM/),
  });
});

it('a move to a folder that is not there leaves the bytes staged', async () => {
  const folder = new MediaFolder(await temporaryFolder(), new Flush(true));
  await folder.makeStaging();
  await writeFile(bytesPath(folder, ID), 'text');
  const to = { key: 'none/final', file: join(folder.path, 'none/final') };
  for (const publish of [publishByMove, publishStaged])
    await expect(publish(folder, ID, to)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await isStaged(folder, ID)).toBe(true);
});

it('a pointer that cannot be made fails the publication', async () => {
  const folder = new MediaFolder(await temporaryFolder(), new Flush(true));
  const to = { key: 'other', file: join(folder.path, 'other') };
  await expect(publishStaged(folder, ID, to)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a staging folder that is a file is an error', async () => {
  const folder = new MediaFolder(await temporaryFolder(), new Flush(true));
  await writeFile(join(folder.path, 'target'), '');
  await symlink('target', folder.staging);
  await expect(folder.makeStaging()).rejects.toThrow();
});
