// A specification service over a real store and a real folder, with a log that can be looked at.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createCollectionRegistry } from '../../src/collections/model/registry.ts';
import type { SpecificationEdit } from '../../src/collections/specifications/apply-changes.ts';
import {
  createSpecificationFiles,
  type SpecificationFiles,
} from '../../src/collections/specifications/specification-files.ts';
import { createSpecificationService } from '../../src/collections/specifications/specification-service.ts';
import type { Log } from '../../src/lib/logger.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { openTemporaryStore } from './temporary-store.ts';

interface Logged {
  readonly fields: object;
  readonly message: string;
}

export function silentLog() {
  const errors: Logged[] = [];
  const warnings: Logged[] = [];
  const log: Pick<Log, 'info' | 'warn' | 'error'> = {
    info: () => {},
    warn: (fields, message) => void warnings.push({ fields, message }),
    error: (fields, message) => void errors.push({ fields, message }),
  };
  return { log, errors, warnings };
}

type UsedStore = Pick<DocumentStore, 'find' | 'ensureIndexes' | 'health'>;

/** `wrapFiles` and `wrapStore` may put something between the service and its folder or store. */
export async function openService(
  wrapFiles = (files: SpecificationFiles) => files,
  wrapStore = (store: UsedStore) => store,
  isEndpoint = () => false,
  noteEdit: (edit: SpecificationEdit) => Promise<void> = async () => {},
) {
  const root = await mkdtemp(join(tmpdir(), 'cloister-service-'));
  const { store } = await openTemporaryStore();
  const registry = createCollectionRegistry();
  const { log, errors, warnings } = silentLog();
  const service = createSpecificationService({
    registry,
    store: wrapStore(store),
    files: wrapFiles(createSpecificationFiles(root)),
    enableCollectionDatabases: false,
    isEndpoint,
    recordEdit: noteEdit,
    filterLimits: { filterDepth: 8, filterNodes: 200 },
    log,
    now: () => 1_700_000_000_000,
    queryMs: 1e12,
  });
  onTestFinished(async () => {
    await service.close();
    await rm(root, { recursive: true, force: true });
  });
  return { root, store, registry, service, errors, warnings };
}
