// A change that a command makes beside the servers: it tells them, and waits until each has it in force.
import { setTimeout } from 'node:timers/promises';
import { type ChangeLogDeps, createChangeLog } from './change-log.ts';
import type { Change } from './coordination.ts';
import { LiveProcesses } from './live-processes.ts';
import { isEnded, machineId } from './machine.ts';
import { createProcessRecords, type ProcessRecord } from './process-records.ts';

/** Stands for the command where servers have their ids. */
const COMMAND = 'command';

interface CommandChangeDeps extends ChangeLogDeps {
  /** Milliseconds of a steady clock. */
  readonly clock: () => number;
}

export interface Reached {
  /** Addresses of the servers that have the change in force. */
  readonly inForce: readonly string[];
  /** Addresses of those that gave no sign of life while they were waited for. */
  readonly silent: readonly string[];
}

/** Tells all servers of a change that is stored. Rejects with the store's StoreError. */
export function announceChange(deps: ChangeLogDeps, change: Change): Promise<number> {
  return createChangeLog(deps).append(change, COMMAND);
}

/** Waits until every server that lives has the change of this number in force. Rejects with the store's StoreError. */
export async function awaitInForce(deps: CommandChangeDeps, seq: number): Promise<Reached> {
  const records = createProcessRecords(deps);
  const processes = new LiveProcesses(COMMAND, deps.clock);
  /** As last seen: whoever takes a server for lost removes its record. */
  const known = new Map<string, ProcessRecord>();
  const machine = machineId();
  const lacksChange = ({ applied }: ProcessRecord) => applied < seq;
  await processes.inForce(seq, async () => {
    const listed = (await records.list()).filter((record) => !isEnded(record, machine));
    for (const record of listed) known.set(record.id, record);
    return listed;
  });
  const addresses = (wanted: (record: ProcessRecord) => boolean) =>
    [...known.values()].filter(wanted).map(({ address }) => address);
  return { inForce: addresses((record) => !lacksChange(record)), silent: addresses(lacksChange) };
}

/** Milliseconds that a command waits for what servers announce, and between two looks. */
const MAX_ANNOUNCED_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/**
 * Waits until servers have announced changes, each as kind and target (`specification /1.0/library/books`), after that of the given
 * number: not for ever, because who finds nothing to change announces nothing. Resolves with the number of the newest change. Rejects
 * with the store's StoreError.
 */
export async function awaitAnnounced(
  deps: CommandChangeDeps,
  seq: number,
  awaited: readonly string[],
): Promise<number> {
  const log = createChangeLog(deps);
  const end = deps.clock() + MAX_ANNOUNCED_MS;
  for (;;) {
    const { newest, changes } = await log.since(seq);
    const announced = new Set(changes?.map(({ kind, target }) => `${kind} ${target}`));
    // Of so many that some are not kept, nobody can say which are missing.
    const isDone = changes === undefined || awaited.every((one) => announced.has(one));
    if (isDone || deps.clock() >= end) return newest;
    await setTimeout(LOOK_AGAIN_MS);
  }
}
