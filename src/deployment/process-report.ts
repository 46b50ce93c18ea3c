// The processes of a deployment as a command sees them beside the servers: which give signs of life, and what each has in force.
import { setTimeout } from 'node:timers/promises';
import { type ChangeLogDeps, createChangeLog } from './change-log.ts';
import type { ProcessStatus } from './deployment-types.ts';
import { isEnded, machineId } from './machine.ts';
import { createProcessRecords, type ProcessRecord } from './process-records.ts';
import { statusOf } from './process-status.ts';

/** Milliseconds within which a process that runs gives a sign of life, and between two looks for one. */
const WATCH_MS = 4000;
const LOOK_MS = 100;

export interface ReportedProcess extends Omit<ProcessStatus, 'isSelf'> {
  /** `ended`: it left its record on this machine when it was killed. `silent`: it is cut off, stopped, or was killed elsewhere. */
  readonly state: 'running' | 'silent' | 'ended';
}

export interface DeploymentReport {
  /** Number of the newest change of the deployment. */
  readonly newestChange: number;
  /** Oldest first. */
  readonly processes: readonly ReportedProcess[];
}

interface ProcessReportDeps extends ChangeLogDeps {
  /** One server has the database to itself: it gives no signs of life, and is looked for by its process id. */
  readonly isSole: boolean;
  /** Milliseconds of a steady clock. */
  readonly clock: () => number;
}

/** Watches the records until each process has given a sign of life. Rejects with the store's StoreError. */
export async function reportProcesses(deps: ProcessReportDeps): Promise<DeploymentReport> {
  const { isSole, clock } = deps;
  const records = createProcessRecords(deps);
  const machine = machineId();
  const first = new Map<string, number>();
  const moved = new Set<string>();
  const isSilent = (record: ProcessRecord) => !isEnded(record, machine) && !isSole && !moved.has(record.id);
  const giveUp = clock() + WATCH_MS;
  for (;;) {
    const listed = await records.list();
    for (const { id, beat } of listed) {
      if ((first.get(id) ?? beat) !== beat) moved.add(id);
      if (!first.has(id)) first.set(id, beat);
    }
    if (clock() < giveUp && listed.some(isSilent)) {
      await setTimeout(LOOK_MS);
      continue;
    }
    const stateOf = (record: ProcessRecord): ReportedProcess['state'] => {
      if (isEnded(record, machine)) return 'ended';
      return isSilent(record) ? 'silent' : 'running';
    };
    const processes = listed
      .toSorted((a, b) => a.since - b.since)
      .map((record) => {
        const { isSelf: _, ...status } = statusOf(record, '');
        return { ...status, state: stateOf(record) };
      });
    return { newestChange: await createChangeLog(deps).newest(), processes };
  }
}
