// What modules wrote to their logs: the newest records of each, in memory, bounded for each and for all of them together.
import type { LogRecord } from '../modules.ts';
import type { GuestLog } from '../sandbox.ts';
import type { Unit } from '../unit.ts';
import { visible } from './author-text.ts';

const RECORDS_MOST = 1000;
const MODULE_CHARACTERS = 1_048_576;
const TOTAL_CHARACTERS = 33_554_432;
/** What a record takes beside its texts. */
const OVERHEAD = 100;

interface Log {
  records: LogRecord[];
  characters: number;
  next: number;
}

export interface ModuleLogs {
  add(unit: Unit, requestId: string, record: GuestLog): void;
  /** Oldest first: the first `limit` records after number `after`; the newest ones when it is 0. */
  read(key: string, options: { readonly limit: number; readonly after: number }): readonly LogRecord[];
  /** Forgets the log of a module that is gone. */
  drop(key: string): void;
}

const sizeOf = ({ message, stack = '' }: GuestLog) => message.length + stack.length + OVERHEAD;

/** Drops what is beyond the bounds; some more at once, so that not every record moves all the others. */
function trim(log: Log, most: number): number {
  const records = Math.floor(RECORDS_MOST * 1.1);
  if (log.records.length <= records && log.characters <= most * 1.1) return 0;
  let gone = 0;
  let from = Math.max(0, log.records.length - RECORDS_MOST);
  for (const [index, record] of log.records.entries()) {
    if (index >= from && log.characters - gone <= most) break;
    gone += sizeOf(record);
    from = index + 1;
  }
  log.records = log.records.slice(from);
  log.characters -= gone;
  return gone;
}

/** Numbers start at the time of the start, so that they grow across a restart, which empties the logs. */
export function createModuleLogs(now: () => number): ModuleLogs {
  const logs = new Map<string, Log>();
  const first = now();
  let total = 0;

  /** The fullest log loses half of itself until all of them fit. */
  const fitAll = () => {
    while (total > TOTAL_CHARACTERS) {
      const fullest = [...logs.values()].reduce((a, b) => (a.characters >= b.characters ? a : b));
      const gone = trim(fullest, fullest.characters / 2.5);
      if (gone === 0) return;
      total -= gone;
    }
  };

  return {
    add(unit, requestId, { level, message, stack }) {
      const log = logs.get(unit.id) ?? { records: [], characters: 0, next: first };
      logs.set(unit.id, log);
      const record: LogRecord = {
        seq: log.next,
        at: now(),
        level,
        message: visible(message),
        version: unit.version,
        requestId,
        ...(stack === undefined ? {} : { stack: visible(stack) }),
      };
      log.next += 1;
      log.records.push(record);
      const size = sizeOf(record);
      log.characters += size;
      total += size - trim(log, MODULE_CHARACTERS);
      fitAll();
    },
    read(key, { limit, after }) {
      const kept = (logs.get(key)?.records ?? []).slice(-RECORDS_MOST);
      if (after === 0) return kept.slice(-limit);
      return kept.filter(({ seq }) => seq > after).slice(0, limit);
    },
    drop(key) {
      total -= logs.get(key)?.characters ?? 0;
      logs.delete(key);
    },
  };
}
