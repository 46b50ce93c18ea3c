// `cloister audit verify`: verifies the audit log and shows the first issue.
import type { AuditEntry } from '../auth/audit/audit-entry.ts';
import type { AuditIssue, AuditReport } from '../auth/audit/audit-verify.ts';
import { type Io, loadOrReport } from './io.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

const EXIT_VALID = 0;
const EXIT_BROKEN = 1;
const EXIT_UNVERIFIED = 2;

const timeOf = ({ at }: AuditEntry) => new Date(at).toISOString();
const entries = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;
const range = ({ seq, to = seq }: AuditIssue) =>
  to === seq ? `entry ${seq} is missing` : `entries ${seq} to ${to} are missing`;

/** A tampered time may not be a number. */
function described({ entry }: AuditIssue): string {
  if (entry === undefined) return '';
  const { at, action, target } = entry;
  const time = Number.isFinite(at) ? ` of ${new Date(at).toISOString()}` : '';
  return ` (${String(action)} ${String(target)}${time})`;
}

const DESCRIPTIONS: Readonly<Record<AuditIssue['kind'], (issue: AuditIssue) => string>> = {
  changed: (issue) => `entry ${issue.seq}${described(issue)} was changed: it is not what was signed`,
  missing: (issue) => `${range(issue)}; the next one is there`,
  moved: (issue) => `in place of entry ${issue.seq} stands entry ${issue.entry?.seq}${described(issue)}`,
  replaced: (issue) =>
    `entry ${issue.seq}${described(issue)} does not follow the entry that was there before`,
  truncated: (issue) => `${range(issue)} at the end`,
  noted: (issue) =>
    `entry ${issue.seq}${described(issue)} says that newer entries than ${Number(issue.entry?.target) - 1} were changed or missing`,
};

function summary({ count, first, last, keys, isAnchored }: AuditReport): readonly string[] {
  if (first === undefined || last === undefined) return ['the audit log has no entries'];
  return [
    `the audit log holds: ${entries(count)}, from ${timeOf(first)} to ${timeOf(last)}`,
    `keys: ${keys.join(', ')}`,
    `newest: entry ${last.seq}, ${last.hash}`,
    ...(isAnchored
      ? []
      : ['that no newer entry was removed cannot be checked here: there is no `audit.head` in the folder']),
  ];
}

function print(report: AuditReport, io: Io): number {
  const { count, issue, unknownKey } = report;
  const printError = (text: string) => io.err(`cloister: audit verify: ${text}`);
  if (issue !== undefined) {
    printError(DESCRIPTIONS[issue.kind](issue));
    io.out(`the audit log is broken: ${entries(count)} before that hold`);
    return EXIT_BROKEN;
  }
  if (unknownKey !== undefined) {
    const { id, seq } = unknownKey;
    printError(`entry ${seq} was signed with the key ${id}, which is not here: see auth.auditKey`);
    io.out(`the audit log cannot be checked: ${entries(count)} before that hold`);
    return EXIT_UNVERIFIED;
  }
  for (const line of summary(report)) io.out(line);
  return EXIT_VALID;
}

/** Prints the result. Returns 0 if the log is valid, 1 if it is broken, 2 if it cannot be verified. */
export async function auditVerify(flags: CommandFlags, io: Io): Promise<number> {
  const after = flags.after ?? '0';
  if (!/^\d{1,15}$/.test(after)) {
    io.err('cloister: audit verify: --after must be the number of an entry');
    return EXIT_UNVERIFIED;
  }
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return EXIT_UNVERIFIED;
  const { verifyAuditLog: readAuditReport } = await import('../setup/cli-services.ts');
  const report = await readAuditReport(loaded.config, { cwd: io.cwd, after: Number(after) });
  if (flags.json === true) io.out(JSON.stringify(report, null, 2));
  return print(report, flags.json === true ? { ...io, out: () => undefined } : io);
}
