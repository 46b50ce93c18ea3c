// A module in which some requests attack (`?do=hide`), and all others only look: these must answer as if they were alone.
import type { AttackRequest, Ending } from '../attack.ts';

export const SECRET = 'TheSecretOfOne';

/** What a request that attacks may end with: its author harms himself. */
export const HIDDEN: Ending = {
  codes: ['ENDPOINT_TIMEOUT', 'ENDPOINT_MEMORY', 'ENDPOINT_CRASHED', 'ENDPOINT_ERROR'],
  orBytes: 20,
};

/** Of each request, as `Symbol.for` and the helpers of the server have them. */
const KEYS = 1000;
const HELPS = 20_000;

/**
 * What those do that only look. They log a line, and spend what they are asked to: keys of `Symbol.for`, helpers of the server,
 * megabytes. It names nothing with which code answers later, so that a synchronous module can hold it.
 */
export const LOOK = `
const count = (limit, run) => { let n = 0; try { for (; n < limit; n += 1) run(n); } catch {} return n; };
const look = (req, res, work) => {
  const { n, keys, helps, megabytes, arrays } = req.query;
  console.log('look ' + n);
  if (work) work();
  const found = { n };
  if (!keys) found.ready = typeof Symbol.for('look') + btoa('b');
  if (keys) found.keys = count(${2 * KEYS}, (key) => Symbol.for('look ' + key));
  if (helps) found.helps = count(${2 * HELPS}, () => btoa(''));
  if (megabytes) found.megabytes = new Uint8Array(Number(megabytes) * 1e6).fill(1).length / 1e6;
  if (arrays) found.arrays = Array.from({ length: Number(arrays) }, () => new Array(131072).fill(n)).length;
  res.json(found);
};
`;

interface Looking {
  /** What the module knows besides: it may look in a later time slice or microtask, or work before it answers. */
  readonly do?: 'wait' | 'chain' | 'work';
  readonly keys?: boolean;
  readonly helps?: boolean;
  readonly megabytes?: number;
  /** Megabytes in arrays, which lie in the heap. */
  readonly arrays?: number;
  readonly withinMs?: number;
}

let looks = 0;

/** A request that only looks: the one answer and the one line that it has when nobody attacks. */
export function looking({
  do: how,
  keys = false,
  helps = false,
  megabytes,
  arrays,
  withinMs,
}: Looking = {}): AttackRequest {
  looks += 1;
  const n = `${looks}`;
  const query = new URLSearchParams({ do: how ?? 'look', n });
  if (keys) query.set('keys', '1');
  if (helps) query.set('helps', '1');
  if (megabytes !== undefined) query.set('megabytes', `${megabytes}`);
  if (arrays !== undefined) query.set('arrays', `${arrays}`);
  const found = {
    n,
    ...(!keys && { ready: 'symbolYg==' }),
    ...(keys && { keys: KEYS }),
    ...(helps && { helps: HELPS }),
    ...(megabytes !== undefined && { megabytes }),
    ...(arrays !== undefined && { arrays }),
  };
  return {
    path: `?${query}`,
    expect: { status: 200, body: JSON.stringify(found) },
    log: [`look ${n}`],
    ...(withinMs !== undefined && { withinMs }),
  };
}

/** So many of them. */
export const lookingAll = (count: number, how: Looking = {}): AttackRequest[] =>
  Array.from({ length: count }, () => looking(how));

/** A request that attacks. */
export const HIDE: AttackRequest = {
  path: `?do=hide&secret=${SECRET}`,
  expect: HIDDEN,
};

/** A request that only warms up. */
export const WARM_UP: AttackRequest = { path: '?do=look' };

/** Clocks of modules in which somebody loops: those who look take milliseconds. */
export const LOOPING = { cpuMs: 500, wallMs: 5000 };
