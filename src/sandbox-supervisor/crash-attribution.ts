// Who is to blame when a host died or lost an isolate, and what becomes of the other requests that were in it.

import type { ModuleVersion } from './module-version.ts';
import type { FailureCode, Incident } from './sandbox.ts';
import type { Host, Invocation } from './state.ts';

/** Why a host died. */
export interface ExitCause {
  readonly code: FailureCode;
  readonly kind: Incident['kind'];
  readonly limit: string;
  /** For the log of the module. */
  readonly message: string;
  /** Whose turn it was, where that is known; null: nobody's fault. Absent: to be found out. */
  readonly culprit?: Invocation | null;
  /** It may have come from outside: a single suspect is run again before it is blamed. */
  readonly isDoubtful?: boolean;
  /** What ran, where the host itself no longer tells. */
  readonly unit?: ModuleVersion;
  /** False: it does not count towards the suspension of what ran. */
  readonly countsTowardsSuspension?: false;
  /** It had nothing to do and was sent away: no end that anybody need know of. */
  readonly isRetired?: true;
}

export interface Attribution {
  readonly blamed: Invocation | null;
  /** They lose what they had begun, and must not begin again. */
  readonly lost: readonly Invocation[];
  /** To be run again, each alone. */
  readonly alone: readonly Invocation[];
  /** Certainly not begun: to be queued again as they were. */
  readonly again: readonly Invocation[];
}

/** Requests whose turn it may have been. One that was answered at the end of its wall time may still be running. */
function suspectsOf({ frames: [frame] }: Host): readonly Invocation[] {
  if (frame === undefined) return [];
  if (frame.requests.length === 1) return frame.requests;
  return frame.requests.filter((request) => !request.over && !request.begun && request.frame === frame);
}

/** The module whose code ran in a host, or waited there: a host serves one at a time. */
function unitIn({ frames, requests }: Host): ModuleVersion | undefined {
  const [first] = frames[0]?.requests ?? requests.values();
  return first?.job.unit;
}

/**
 * What reviewers are told of the end of a host; null where there is nothing to tell. It counts whenever code of the module
 * was to blame, also where nobody knows which of its requests it was.
 */
export function incidentForExit(host: Host, cause: ExitCause, blamed: Invocation | null): Incident | null {
  if (cause.isRetired === true) return null;
  const unit = blamed?.job.unit ?? cause.unit ?? unitIn(host);
  const { kind, limit } = cause;
  // With nothing to do, it is named after what it ran last.
  const lastRun = [...host.units.values()].at(-1) ?? null;
  if (unit === undefined) return { unitId: lastRun, version: 0, kind, limit, counts: false };
  const { id: unitId, version, sha256 } = unit;
  const counts = cause.countsTowardsSuspension !== false && (blamed !== null || cause.isDoubtful !== true);
  return { unitId, version, sha256, kind, limit, counts };
}

/** Reads and timers may be repeated; whoever was alone has had its second try. */
const mayRunAgain = ({ hasActed, alone }: Invocation) => !hasActed && !alone;

/** Judges by what the host last had. Reads only: nothing is settled here. */
export function attributeCrash(host: Host, { culprit: known, isDoubtful = false }: ExitCause): Attribution {
  const suspects = suspectsOf(host);
  const [only] = suspects;
  let blamed = known ?? null;
  const isCertain = suspects.length === 1 && only !== undefined && !(isDoubtful && mayRunAgain(only));
  if (known === undefined && isCertain) blamed = only;
  const verdict = { blamed, lost: [] as Invocation[], alone: [] as Invocation[], again: [] as Invocation[] };
  for (const request of host.requests.values()) {
    if (request === blamed) continue;
    const isSuspect = known === undefined && suspects.includes(request);
    if (!request.begun && !isSuspect) verdict.again.push(request);
    else if (mayRunAgain(request)) verdict.alone.push(request);
    else verdict.lost.push(request);
  }
  return verdict;
}
