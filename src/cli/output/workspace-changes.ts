// What `cloister workspace push` and `pull` print.
import type { Reached } from '../../deployment/command-change.ts';
import type { WorkspaceDifference } from '../../transfer/workspace-changes.ts';

interface ChangeOptions {
  readonly prune: boolean;
  readonly dryRun: boolean;
  /** Where files are that only the written side has. */
  readonly surplusIn: string;
}

const filesOf = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'}`;

/** A line for each file that is another one then, and for each that stays although the other side does not have it. */
export function changeLines(
  { added, changed, surplus }: WorkspaceDifference,
  { prune, surplusIn }: ChangeOptions,
): readonly string[] {
  return [
    ...added.map((path) => `added    ${path}`),
    ...changed.map((path) => `changed  ${path}`),
    ...surplus.map((path) =>
      prune ? `removed  ${path}` : `kept     ${path} (only in ${surplusIn}; --prune removes it)`,
    ),
  ];
}

/** The last line: `2 files added, 1 changed, 0 removed, 5 unchanged`. */
export function changeSummary(difference: WorkspaceDifference, { prune, dryRun }: ChangeOptions): string {
  const { added, changed, surplus, equal } = difference;
  const removed = prune ? surplus.length : 0;
  const counts = `${filesOf(added.length)} added, ${changed.length} changed, ${removed} removed, ${equal.length} unchanged`;
  return dryRun ? `${counts}: nothing was written` : counts;
}

/** Which servers have it in force, in words. */
export function describeServers({ inForce, silent }: Reached): string {
  const count = inForce.length;
  const running =
    count === 0
      ? 'no server runs, the next start does so'
      : `in force in ${count === 1 ? 'the running server' : `all ${count} running servers`}`;
  return silent.length === 0 ? running : `${running}; no sign of life from ${silent.join(', ')}`;
}
