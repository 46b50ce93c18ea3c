// What is wrong with the folder of media files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkMediaFolder } from '../../src/media/folder-check.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

async function issuesOf(folder: string): Promise<readonly string[]> {
  const root = await temporaryFolder();
  mkdirSync(join(root, 'workspace/collections'), { recursive: true });
  writeFileSync(join(root, 'file'), '');
  const others = { 'the database': join(root, 'data'), specifications: join(root, 'workspace/collections') };
  const issues = await checkMediaFolder({ folder: join(root, folder), others });
  return issues.map(({ severity, message }) => `${severity}: ${message.replace(root, '')}`);
}

it.each(['media', 'workspace/media', 'not/there/yet', 'database', 'data-of-others', '..data'])(
  'files may lie in %s',
  async (folder) => expect(await issuesOf(folder)).toEqual([]),
);

it.each([
  ['data', ['error: must not be or contain the folder of the database']],
  ['data/media', ['error: must not lie in the folder of the database']],
  ['workspace', ['error: must not be or contain the folder of specifications']],
  ['workspace/collections/1.0', ['error: must not lie in the folder of specifications']],
  ['file', ['error: is no folder: /file is a file']],
  ['file/media', ['error: is no folder: /file is a file']],
  [
    '.',
    [
      'error: must not be or contain the folder of the database',
      'error: must not be or contain the folder of specifications',
    ],
  ],
])('files may not lie in %s', async (folder, issues) => expect(await issuesOf(folder)).toEqual(issues));
