// Logs of modules: the newest records in memory, limited per module and for all modules together.

import { escapeUnprintable } from '../lib/printable-text.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';
import type { GuestLogRecord } from '../sandbox-supervisor/model/sandbox.ts';
import type { ModuleLogRecord } from './model/module-types.ts';

const MAX_RECORDS = 1000;
const MAX_MODULE_CHARACTERS = 1_048_576;
const MAX_TOTAL_CHARACTERS = 33_554_432;
/** Characters that a record takes beside its texts. */
const RECORD_OVERHEAD = 100;

interface ModuleLog {
  records: ModuleLogRecord[];
  characters: number;
  next: number;
}

export interface ModuleLogs {
  add(moduleVersion: ModuleVersion, requestId: string, record: GuestLogRecord): void;
  /** Oldest first: the first `limit` records after number `after`; the newest ones when it is 0. */
  read(key: string, options: { readonly limit: number; readonly after: number }): readonly ModuleLogRecord[];
  /** Removes the log of a module. */
  drop(key: string): void;
}

const sizeOf = ({ message, stack = '' }: GuestLogRecord) => message.length + stack.length + RECORD_OVERHEAD;

/** Drops old records above the limits, ten per cent at a time: not every record moves all the others. Returns the characters dropped. */
function trim(log: ModuleLog, maxCharacters: number): number {
  const records = Math.floor(MAX_RECORDS * 1.1);
  if (log.records.length <= records && log.characters <= maxCharacters * 1.1) return 0;
  let dropped = 0;
  let from = Math.max(0, log.records.length - MAX_RECORDS);
  for (const [index, record] of log.records.entries()) {
    if (index >= from && log.characters - dropped <= maxCharacters) break;
    dropped += sizeOf(record);
    from = index + 1;
  }
  log.records = log.records.slice(from);
  log.characters -= dropped;
  return dropped;
}

/** Creates the logs. Numbers start at the current time, so that they grow across restarts, which empty the logs. */
export function createModuleLogs(now: () => number): ModuleLogs {
  const logs = new Map<string, ModuleLog>();
  const first = now();
  let total = 0;

  /** Halves the fullest log until all of them fit. */
  const fitAll = () => {
    while (total > MAX_TOTAL_CHARACTERS) {
      const fullest = [...logs.values()].reduce((a, b) => (a.characters >= b.characters ? a : b));
      const dropped = trim(fullest, fullest.characters / 2.5);
      if (dropped === 0) return;
      total -= dropped;
    }
  };

  return {
    add(moduleVersion, requestId, { level, message, stack }) {
      const log = logs.get(moduleVersion.id) ?? { records: [], characters: 0, next: first };
      logs.set(moduleVersion.id, log);
      const record: ModuleLogRecord = {
        seq: log.next,
        at: now(),
        level,
        message: escapeUnprintable(message),
        version: moduleVersion.version,
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
      const records = (logs.get(key)?.records ?? []).slice(-MAX_RECORDS);
      if (after === 0) return records.slice(-limit);
      return records.filter(({ seq }) => seq > after).slice(0, limit);
    },
    drop(key) {
      total -= logs.get(key)?.characters ?? 0;
      logs.delete(key);
    },
  };
}
