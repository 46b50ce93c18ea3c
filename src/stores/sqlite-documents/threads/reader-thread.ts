// Entry point of a reader thread: long queries on a read-only connection.
import { workerData } from 'node:worker_threads';
import { MovedResult } from '../../../lib/processes/thread-messages.ts';
import type { Filter } from '../../filter.ts';
import type { FindQuery, Namespace } from '../../ports.ts';
import { createCatalogue } from '../data-file/catalogue.ts';
import { createDeadlineLimit, openConnection } from '../data-file/connection.ts';
import { type DiskUsage, measureDiskUsage } from '../query/disk-usage.ts';
import { countMatches, createQueryContext, type QueryContext, textsOfQuery } from '../query/execute.ts';
import {
  captureResult,
  type SerializedTexts,
  serializeTexts,
  type ThreadResult,
  transferListOf,
} from './thread-messages.ts';

/** `workerData` of every thread. */
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
let opened: QueryContext | undefined;

/** Opened by the first task, so that an error fails the task and not the thread. */
function reader(): QueryContext {
  if (opened !== undefined) return opened;
  const options = { file, readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS, cacheSizeKb: CACHE_SIZE_KB };
  const connection = openConnection(options);
  opened = createQueryContext({ connection, catalogue: createCatalogue(connection) });
  return opened;
}

/** `DocumentStore.findText`. */
export function find({ ns, query, deadline }: FindTask): ThreadResult<SerializedTexts> | MovedResult {
  const found = () => textsOfQuery(reader(), ns, query, { workLimit: createDeadlineLimit(deadline) });
  const outcome = captureResult(() => serializeTexts(found()));
  if (!outcome.ok) return outcome;
  return new MovedResult(outcome, transferListOf(outcome.value));
}

/** `DocumentStore.count`. */
export function count({ ns, filter, deadline }: CountTask): ThreadResult<number> {
  return captureResult(() =>
    countMatches(reader(), ns, filter, { workLimit: createDeadlineLimit(deadline) }),
  );
}

/** Sizes of a collection and its indexes. */
export function diskUsage({ ns, deadline }: DiskUsageTask): ThreadResult<DiskUsage> {
  return captureResult(() =>
    measureDiskUsage(reader(), ns, { workLimit: createDeadlineLimit(deadline), maxText: Infinity }),
  );
}
