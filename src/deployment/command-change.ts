// A change that a command makes beside the servers: it tells them, and waits until each has it in force.
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
