import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openOutputFile } from '../../src/transfer/output-file.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'site.jsonl');
});

describe('an output file', () => {
  it('has its name only once it is complete', async () => {
    const output = await openOutputFile(file);
    await output.write('a\n');
    await output.write('é\n');
    expect(await readdir(folder)).toEqual([`site.jsonl.partial-${process.pid}`]);
    await output.complete();
    expect(await readdir(folder)).toEqual(['site.jsonl']);
    expect(await readFile(file, 'utf8')).toBe('a\né\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('leaves what was there until it is complete, and for good when it is discarded', async () => {
    await writeFile(file, 'old');
    const given = await openOutputFile(file);
    await given.write('half');
    await given.discard();
    expect(await readdir(folder)).toEqual(['site.jsonl']);
    expect(await readFile(file, 'utf8')).toBe('old');
    const output = await openOutputFile(file);
    await output.write('new');
    await output.complete();
    expect(await readFile(file, 'utf8')).toBe('new');
  });

  it('may be discarded when completing it failed', async () => {
    const output = await openOutputFile(file);
    await mkdir(join(file, 'full'), { recursive: true });
    await expect(output.complete()).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    await output.discard();
    expect(await readdir(folder)).toEqual(['site.jsonl']);
  });

  it('writes over what a former process of this number left', async () => {
    await writeFile(`${file}.partial-${process.pid}`, 'left over and long', { mode: 0o644 });
    const output = await openOutputFile(file);
    await output.write('new');
    await output.complete();
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('writes through no link that somebody laid where the half file goes', async () => {
    const other = join(folder, 'other');
    await writeFile(other, 'not ours');
    await symlink(other, `${file}.partial-${process.pid}`);
    const output = await openOutputFile(file);
    await output.write('new');
    await output.complete();
    expect(await readFile(other, 'utf8')).toBe('not ours');
    expect(await readFile(file, 'utf8')).toBe('new');
  });

  it('follows a symbolic link', async () => {
    const real = join(folder, 'real.jsonl');
    await writeFile(real, 'old');
    await symlink(real, file);
    const output = await openOutputFile(file);
    await output.write('new');
    await output.complete();
    expect(await readFile(real, 'utf8')).toBe('new');
    expect((await readdir(folder)).sort()).toEqual(['real.jsonl', 'site.jsonl']);
  });

  it('writes into a device, and never replaces it', async () => {
    const output = await openOutputFile('/dev/null');
    await output.write('gone');
    await output.complete();
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
    const unused = await openOutputFile('/dev/null');
    await unused.discard();
  });

  it('tells what the operating system refuses', async () => {
    await expect(openOutputFile(join(folder, 'no', 'where'))).rejects.toThrow('ENOENT');
    await expect(openOutputFile(folder)).rejects.toThrow('EISDIR');
    const full = await openOutputFile('/dev/full');
    await expect(full.write('x')).rejects.toThrow('ENOSPC');
    await full.discard();
  });
});
