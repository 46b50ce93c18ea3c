import { execFileSync } from 'node:child_process';
import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCodeOf } from '../../../src/errors/errors.ts';
import { readWholeFile, WholeFileError } from '../../../src/lib/files/read-whole-file.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const MAX = { maxBytes: 10, followsLink: false };
const issueOf = (error: unknown) => (error instanceof WholeFileError ? error.issue : errorCodeOf(error));
const outcome = (path: string, options = MAX) =>
  readWholeFile(path, options).then((bytes) => bytes.toString(), issueOf);

describe('readWholeFile', () => {
  it('reads a file of any length up to the bound', async () => {
    const folder = await temporaryFolder();
    for (const text of ['', 'a', '0123456789']) {
      writeFileSync(join(folder, 'file'), text);
      expect(await outcome(join(folder, 'file'))).toBe(text);
    }
    writeFileSync(join(folder, 'file'), '0123456789+');
    expect(await outcome(join(folder, 'file'))).toBe('too-large');
  });

  it('refuses folders, pipes, devices and what is not there, and waits for none of them', async () => {
    const folder = await temporaryFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const path of [folder, join(folder, 'pipe'), '/dev/zero'])
      expect(await outcome(path)).toBe('special');
    expect(await outcome(join(folder, 'none'))).toBe('ENOENT');
  });

  it('follows a link only where it is told to', async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'file'), 'text');
    symlinkSync('file', join(folder, 'link'));
    expect(await outcome(join(folder, 'link'))).toBe('ELOOP');
    expect(await outcome(join(folder, 'link'), { ...MAX, followsLink: true })).toBe('text');
  });

  it('refuses a file that says it is empty and is not, as those of the system do', async () => {
    expect(await outcome('/proc/self/status')).toBe('changed');
  });

  it('gives no half of a file that grows meanwhile', async () => {
    const file = join(await temporaryFolder(), 'file');
    writeFileSync(file, '');
    const outcomes: unknown[] = [];
    for (let count = 0; count < 9; count += 1) {
      const reading = outcome(file);
      appendFileSync(file, 'x');
      outcomes.push(await reading);
    }
    for (const one of outcomes) expect(one === 'changed' || /^x*$/.test(String(one))).toBe(true);
  });
});
