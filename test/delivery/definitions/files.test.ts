// The folder of definitions, whatever may lie there.
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  baseNameOf,
  definitionFilesIn,
  fileOf,
  isDefinitionFile,
  MAX_FILE_BYTES,
  readDefinitionFile,
} from '../../../src/delivery/definitions/files.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

describe('the folder of definitions', () => {
  it('holds the files that end in .json and are not hidden', async () => {
    const folder = await temporaryFolder();
    for (const name of ['b.json', 'a.json', '.#a.json', 'notes.md', 'a.json.123'])
      await writeFile(join(folder, name), '');
    expect(await definitionFilesIn(folder)).toEqual([join(folder, 'a.json'), join(folder, 'b.json')]);
    expect(isDefinitionFile(join(folder, 'a.json.123'))).toBe(false);
    expect(baseNameOf(fileOf(folder, 'sample'))).toBe('sample');
  });

  it('holds nothing when it is missing', async () => {
    expect(await definitionFilesIn(join(await temporaryFolder(), 'nowhere'))).toEqual([]);
  });
});

describe('a definition file', () => {
  it('is read as text, without byte order mark', async () => {
    const file = join(await temporaryFolder(), 'a.json');
    await writeFile(file, '\uFEFF{"a":"é"}');
    expect(await readDefinitionFile(file)).toEqual({ state: 'text', text: '{"a":"é"}' });
  });

  it('may be missing', async () => {
    expect(await readDefinitionFile(join(await temporaryFolder(), 'a.json'))).toEqual({ state: 'missing' });
  });

  it('is ignored when it is a link, a folder or a pipe', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'secret'), '{}');
    await symlink(join(folder, 'secret'), join(folder, 'link.json'));
    await mkdir(join(folder, 'folder.json'));
    execFileSync('mkfifo', [join(folder, 'pipe.json')]);
    const found = await Promise.all(
      ['link', 'folder', 'pipe'].map((name) => readDefinitionFile(join(folder, `${name}.json`))),
    );
    expect(found).toEqual([
      { state: 'unreadable', message: 'is a symbolic link and is ignored' },
      { state: 'unreadable', message: 'is no regular file and is ignored' },
      { state: 'unreadable', message: 'is no regular file and is ignored' },
    ]);
  });

  it('is ignored when it is too long', async () => {
    const file = join(await temporaryFolder(), 'a.json');
    await writeFile(file, Buffer.alloc(MAX_FILE_BYTES, ' '));
    expect(await readDefinitionFile(file)).toMatchObject({ state: 'text' });
    await writeFile(file, Buffer.alloc(MAX_FILE_BYTES + 1, ' '));
    expect(await readDefinitionFile(file)).toMatchObject({ state: 'unreadable' });
  });
});
