// What failures of the file system become.
import { expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { createDiskErrorTranslator } from '../../../src/stores/disk-media/disk-errors.ts';
import type { LogLine } from './workbench.ts';

it('a failure of the file system is `unavailable`, with one line of each kind a minute', () => {
  const lines: LogLine[] = [];
  let now = 0;
  const error = (fields: unknown, message?: string) => void lines.push({ fields, message: message ?? '' });
  const toStoreError = createDiskErrorTranslator({ error }, () => now);
  const failure = (code: string) => Object.assign(new Error(`${code}: at some path`), { code });
  for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO', 'EMFILE', 'ENFILE', 'ENOENT']) {
    expect(toStoreError(failure(code))).toMatchObject({
      reason: 'unavailable',
      store: 'media',
      message: 'store: unavailable',
    });
  }
  expect(lines.map(({ fields }) => (fields as { fault: string }).fault)).toEqual([
    ...['full', 'access', 'disk', 'descriptors', 'removed'],
  ]);
  now = 60_000;
  toStoreError(failure('ENOSPC'));
  expect(lines.at(-1)?.fields).toMatchObject({ fault: 'full', suppressed: 1 });
});

it('an error of the port stays what it is, and is not logged', () => {
  const lines: unknown[] = [];
  const toStoreError = createDiskErrorTranslator(
    { error: (...line: unknown[]) => void lines.push(line) },
    () => 0,
  );
  const refused = new StoreError('refused');
  expect(toStoreError(refused)).toBe(refused);
  expect(lines).toEqual([]);
});
