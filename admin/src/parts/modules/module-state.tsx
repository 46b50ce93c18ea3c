// The state of an endpoint or hook in words, who suspended it, and who refused a version of it.
import { Badge } from '@mantine/core';
import type { ModuleState, Refusal, Suspension } from '../../api/types-modules.ts';
import { Time } from '../time.tsx';

const STATES: Readonly<Record<ModuleState, string>> = {
  active: 'Active',
  suspended: 'Suspended',
  broken: 'Broken',
  pending: 'Waits for approval',
};

/** What a state means to whoever calls. */
export const STATE_MEANINGS: Readonly<Record<Exclude<ModuleState, 'active'>, string>> = {
  suspended: 'Nothing of it runs: requests are answered with 503.',
  broken:
    'Its file cannot be put in force: the log of the server says why. Requests are answered with 503 until good code is saved.',
  pending: 'No version of it has been approved yet: requests are answered with 503.',
};

interface Stated {
  readonly state: ModuleState;
  readonly pending?: readonly unknown[];
}

export function stateWords({ state, pending }: Stated): string {
  // Nothing is approved and nothing waits: what waited was refused.
  return state === 'pending' && pending?.length === 0 ? 'Refused' : STATES[state];
}

export function StateBadge({ of: module }: { readonly of: Stated }) {
  const isDown = module.state === 'suspended' || module.state === 'broken';
  return (
    <Badge variant="outline" color={isDown ? 'red' : 'blue'}>
      {stateWords(module)}
    </Badge>
  );
}

const BREAKER =
  'by the server, because its code ended its process, or used up its memory, three times in five minutes. Other code lifts this, and so does Resume';
const OPERATOR = 'by the operator of the server with a command. Only the command lifts it';

/** Who suspended it, when, and what lifts that. */
export function SuspensionText({ suspension: { by, clientId, at } }: { readonly suspension: Suspension }) {
  const who =
    by === 'admin'
      ? `by the admin ${clientId ?? 'whose name is not known'}`
      : by === 'breaker'
        ? BREAKER
        : OPERATOR;
  return (
    <span className="wrap">
      Suspended{' '}
      {at !== null && (
        <>
          <Time at={at} />{' '}
        </>
      )}
      {who}.
    </span>
  );
}

/** Who refused a version, when, and why: lines as the reviewer wrote them. */
export function RefusalText({ refusal: { by, at, reason } }: { readonly refusal: Refusal }) {
  return (
    <>
      <div className="wrap">
        <Time at={at} /> by {by}:
      </div>
      <div className="wrap" style={{ whiteSpace: 'pre-wrap' }}>
        {reason}
      </div>
    </>
  );
}
