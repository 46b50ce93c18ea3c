// What modules wrote to their logs: the newest records of each, in memory, bounded for each and for all of them together.

import type { ModuleVersion } from '../sandbox-supervisor/module-version.ts';
import type { GuestLog } from '../sandbox-supervisor/sandbox.ts';
import { escapeUnprintable } from './model/printable-text.ts';
import type { ModuleLogRecord } from './model/types.ts';

const MAX_RECORDS = 1000;
const MAX_MODULE_CHARACTERS = 1_048_576;
const MAX_TOTAL_CHARACTERS = 33_554_432;
/** What a record takes beside its texts. */
const RECORD_OVERHEAD = 100;

interface ModuleLog {
  records: ModuleLogRecord[];
  characters: number;
  next: number;
}

export interface ModuleLogs {
  add(unit: ModuleVersion, requestId: string, record: GuestLog): void;
  /** Oldest first: the first `limit` records after number `after`; the newest ones when it is 0. */
  read(key: string, options: { readonly limit: number; readonly after: number }): readonly ModuleLogRecord[];
  /** Forgets the log of a module that is gone. */
  drop(key: string): void;
}

const sizeOf = ({ message, stack = '' }: GuestLog) => message.length + stack.length + RECORD_OVERHEAD;

/** Drops what is beyond the bounds; some more at once, so that not every record moves all the others. */
function trim(log: ModuleLog, most: number): number {
  const records = Math.floor(MAX_RECORDS * 1.1);
  if (log.records.length <= records && log.characters <= most * 1.1) return 0;
  let gone = 0;
  let from = Math.max(0, log.records.length - MAX_RECORDS);
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
  const logs = new Map<string, ModuleLog>();
  const first = now();
  let total = 0;

  /** The fullest log loses half of itself until all of them fit. */
  const fitAll = () => {
    while (total > MAX_TOTAL_CHARACTERS) {
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
      const record: ModuleLogRecord = {
        seq: log.next,
        at: now(),
        level,
        message: escapeUnprintable(message),
        version: unit.version,
        requestId,
        ...(stack === undefined ? {} : { stack: escapeUnprintable(stack) }),
      };
      log.next += 1;
      log.records.push(record);
      const size = sizeOf(record);
      log.characters += size;
      total += size - trim(log, MAX_MODULE_CHARACTERS);
      fitAll();
    },
    read(key, { limit, after }) {
      const kept = (logs.get(key)?.records ?? []).slice(-MAX_RECORDS);
      if (after === 0) return kept.slice(-limit);
      return kept.filter(({ seq }) => seq > after).slice(0, limit);
    },
    drop(key) {
      total -= logs.get(key)?.characters ?? 0;
      logs.delete(key);
    },
  };
}
