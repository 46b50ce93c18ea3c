import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFallback } from '../../../src/delivery/sources/fallback.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

test('the file is found with the type of its name', async () => {
  const file = join(await temporaryFolder(), 'missing.png');
  const find = createFallback(file);
  expect(await find()).toBeUndefined();
  await writeFile(file, 'x');
  expect(await find()).toMatchObject({ size: 1, contentType: 'image/png' });
});

test('a folder, or no file at all, stands in for nothing', async () => {
  expect(await createFallback(await temporaryFolder())()).toBeUndefined();
  expect(await createFallback(undefined)()).toBeUndefined();
});
