// A folder that goes when the test is over.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function temporaryFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'cloister-folder-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}
