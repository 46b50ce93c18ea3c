import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atomicWrite, removeFile } from '../../../src/lib/files/file-operations.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-write-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('atomicWrite', () => {
  it('replaces the whole text and leaves nothing else behind', async () => {
    const file = join(folder, 'a.json');
    writeFileSync(file, 'a much longer text that was there before');
    await atomicWrite(file, 'näw');
    expect(readFileSync(file, 'utf8')).toBe('näw');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('says that the workspace is at fault when it is', async () => {
    const file = join(folder, 'a.json');
    writeFileSync(file, '{}');
    const unavailable = {
      code: 'WORKSPACE_UNAVAILABLE',
      status: 503,
      message: 'The workspace cannot be written',
    };
    await expect(atomicWrite(join(file, 'b.json'), '{}')).rejects.toMatchObject(unavailable);
    await expect(removeFile(folder)).rejects.toMatchObject(unavailable);
    await removeFile(file);
    await removeFile(file);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('makes missing folders', async () => {
    await atomicWrite(join(folder, 'b/c/d.json'), '{}');
    expect(readFileSync(join(folder, 'b/c/d.json'), 'utf8')).toBe('{}');
  });

  it('never shows half a text to a reader', async () => {
    const file = join(folder, 'a.json');
    const texts = ['x'.repeat(300_000), 'y'.repeat(300_000)];
    await atomicWrite(file, texts[0]!);
    const writing = Promise.all(Array.from({ length: 6 }, (_, n) => atomicWrite(file, texts[n % 2]!)));
    let seen = 0;
    const done = writing.then(() => true);
    while (!(await Promise.race([done, Promise.resolve(false)])) && seen < 50) {
      expect(texts).toContain(readFileSync(file, 'utf8'));
      seen += 1;
      await new Promise(setImmediate);
    }
    await writing;
    expect(seen).toBeGreaterThan(0);
  });
});
