// The body of a reader thread: long queries on a connection of its own.
import { workerData } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Filter } from '../filter.ts';
import type { FindQuery, Namespace } from '../ports.ts';
import { createCatalogue } from './catalogue.ts';
import { openConnection } from './connection.ts';
import { createDeadline } from './meter.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { countMatches, findTexts, type Reader } from './read.ts';
import { measure, type Space } from './space.ts';
import { packTexts, type Texts, transferOf } from './text-parcel.ts';

/** What the pool gives every thread. */
export interface ThreadData {
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

export interface SpaceTask {
  readonly ns: Namespace;
  readonly deadline: number | undefined;
}

const BUSY_MS = 1000;
const CACHE_KILOBYTES = 8192;

const { file } = workerData as ThreadData;
let opened: Reader | undefined;

/** Opened with the first task, so that a failure is that task's and not the thread's. */
function reader(): Reader {
  if (opened !== undefined) return opened;
  const options = { file, readOnly: true, busyMs: BUSY_MS, cacheKilobytes: CACHE_KILOBYTES };
  const connection = openConnection(options);
  opened = { connection, catalogue: createCatalogue(connection) };
  return opened;
}

/** `findText` of the port. */
export function find({ ns, query, deadline }: FindTask): Outcome<Texts> {
  const found = () => findTexts(reader(), ns, { query, meter: createDeadline(deadline) });
  const outcome = outcomeOf(() => packTexts(found()));
  if (!outcome.ok) return outcome;
  // What the pool takes for a result whose buffers are handed over.
  const movable: unknown = {
    [Piscina.transferableSymbol]: transferOf(outcome.value),
    [Piscina.valueSymbol]: outcome,
  };
  return Piscina.move(movable as ArrayBuffer) as unknown as typeof outcome;
}

/** `count` of the port. */
export function count({ ns, filter, deadline }: CountTask): Outcome<number> {
  return outcomeOf(() => countMatches(reader(), ns, { filter, meter: createDeadline(deadline) }));
}

/** How much of the file a collection and its indexes take. */
export function space({ ns, deadline }: SpaceTask): Outcome<Space> {
  return outcomeOf(() => measure(reader(), ns, { meter: createDeadline(deadline), mostText: Infinity }));
}
