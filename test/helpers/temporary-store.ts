// A real embedded store in a folder of its own that goes when the test is over.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { openSqliteDocuments } from '../../src/stores/sqlite-documents/store.ts';

/** Opens a store in an empty folder, or one more on the folder of another test store. */
export async function openTemporaryStore(shared?: string): Promise<{ store: DocumentStore; path: string }> {
  const path = shared ?? (await mkdtemp(join(tmpdir(), 'cloister-store-')));
  const store = await openSqliteDocuments({ path, queueLimit: 1000 });
  onTestFinished(async () => {
    await store.close();
    await rm(path, { recursive: true, force: true });
  });
  return { store, path };
}
