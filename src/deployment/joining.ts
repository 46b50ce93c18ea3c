// What a process does with the records of the others before it joins them.
import { setTimeout } from 'node:timers/promises';
import { LiveProcesses } from './live-processes.ts';
import { isEnded } from './machine.ts';
import type { ProcessRecord, ProcessRecords } from './process-records.ts';
import { differenceError, findDifference } from './setting-fingerprints.ts';

/** Milliseconds until a record is looked at again that may be that of a process which runs. */
const LOOK_AGAIN_MS = 250;

/** Removes the records of processes that are certainly gone, and resolves with their ids. `startsAlone`: all others are. */
export async function removeEnded(
  records: ProcessRecords,
  own: ProcessRecord,
  startsAlone: boolean,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const record of await records.list()) {
    const isGone = record.id !== own.id && (startsAlone || isEnded(record, own.machine));
    if (isGone && (await records.remove(record.id))) removed.push(record.id);
  }
  return removed;
}

/**
 * Rejects with CONFIGURATION_INVALID where a setting differs from that of a process that runs. A record alone does not say that
 * its process runs: it is waited for until it moves, or its time is over.
 */
export async function assertSameSettings(
  records: ProcessRecords,
  own: ProcessRecord,
  clock: () => number,
): Promise<void> {
  const seen = new LiveProcesses(own.id, clock);
  const first = new Map<string, number>();
  const differenceOf = ({ settings }: ProcessRecord) => findDifference(own.settings, settings);
  for (;;) {
    seen.update(await records.list());
    const different = seen.liveOthers().filter((record) => differenceOf(record) !== undefined);
    if (different.length === 0) return;
    for (const record of different) {
      const before = first.get(record.id) ?? record.beat;
      first.set(record.id, before);
      if (record.beat !== before) throw differenceError(differenceOf(record) ?? '', record.address);
    }
    await setTimeout(LOOK_AGAIN_MS);
  }
}
