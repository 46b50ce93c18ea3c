// The body of a reader thread: long queries on a connection of its own.
import { workerData } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Filter } from '../../filter.ts';
import type { FindQuery, Namespace } from '../../ports.ts';
import { createCatalogue } from '../data-file/catalogue.ts';
import { openConnection } from '../data-file/connection.ts';
import { createDeadlineLimit } from '../data-file/work-limit.ts';
import { type DiskUsage, measureDiskUsage } from '../query/disk-usage.ts';
import { countMatches, findTexts, type ReadContext } from '../query/execute.ts';
import { type SerializedTexts, serializeTexts, transferListOf } from './serialized-texts.ts';
import { captureResult, type ThreadResult } from './thread-result.ts';

/** What the pool gives every thread. */
export interface ThreadWorkerData {
  readonly file: string;
}

export interface FindTask {
  readonly ns: Namespace;
  readonly query: FindQuery;
  readonly deadline: number | undefined;
}

export interface CountTask {
  readonly ns: Namespace;
  readonly filter: Filter;
  readonly deadline: number | undefined;
}

export interface DiskUsageTask {
  readonly ns: Namespace;
  readonly deadline: number | undefined;
}

const BUSY_TIMEOUT_MS = 1000;
const CACHE_SIZE_KB = 8192;

const { file } = workerData as ThreadWorkerData;
let opened: ReadContext | undefined;

/** Opened with the first task, so that a failure is that task's and not the thread's. */
function reader(): ReadContext {
  if (opened !== undefined) return opened;
  const options = { file, readOnly: true, busyMs: BUSY_TIMEOUT_MS, cacheKilobytes: CACHE_SIZE_KB };
  const connection = openConnection(options);
  opened = { connection, catalogue: createCatalogue(connection) };
  return opened;
}

/** `findText` of the port. */
export function find({ ns, query, deadline }: FindTask): ThreadResult<SerializedTexts> {
  const found = () => findTexts(reader(), ns, { query, meter: createDeadlineLimit(deadline) });
  const outcome = captureResult(() => serializeTexts(found()));
  if (!outcome.ok) return outcome;
  // What the pool takes for a result whose buffers are handed over.
  const movable: unknown = {
    [Piscina.transferableSymbol]: transferListOf(outcome.value),
    [Piscina.valueSymbol]: outcome,
  };
  return Piscina.move(movable as ArrayBuffer) as unknown as typeof outcome;
}

/** `count` of the port. */
export function count({ ns, filter, deadline }: CountTask): ThreadResult<number> {
  return captureResult(() => countMatches(reader(), ns, { filter, meter: createDeadlineLimit(deadline) }));
}

/** How much of the file a collection and its indexes take. */
export function space({ ns, deadline }: DiskUsageTask): ThreadResult<DiskUsage> {
  return captureResult(() =>
    measureDiskUsage(reader(), ns, { meter: createDeadlineLimit(deadline), mostText: Infinity }),
  );
}
