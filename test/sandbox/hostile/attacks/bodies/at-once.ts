// Many callers send large bodies at the same time, each within its limits: they are all answered, or told that theirs is too large.
import type { Attack, AttackRequest, Ending } from '../../attack.ts';
import { LOOK, looking } from '../../late/look.ts';

const TAKEN: Ending = { codes: ['PAYLOAD_TOO_LARGE'], orBytes: 20 };
/** Many megabytes may keep a slow machine from a host for longer than a caller waits. Nothing else may go wrong. */
const TAKEN_OR_BUSY: Ending = { codes: ['PAYLOAD_TOO_LARGE', 'ENDPOINT_BUSY'], orBytes: 20 };
const LARGE_CHARACTERS = 1_000_000;

/** One letter that is not ASCII makes each of them two bytes. */
const bodyOf = (characters: number) => `{"text":"é${'x'.repeat(characters - 1)}"}`;

function post(characters: number, how: string): AttackRequest {
  return {
    method: 'POST',
    path: `?do=${how}`,
    headers: { 'content-type': 'application/json' },
    body: bodyOf(characters),
    expect: characters < LARGE_CHARACTERS ? TAKEN : TAKEN_OR_BUSY,
  };
}

const SYNCHRONOUS = "module.exports.post = (req, res) => res.end('got ' + req.body.text.length);";
const WAITING =
  "module.exports.post = (req, res) => { setTimeout(() => res.end('got ' + req.body.text.length), 20); };";

interface Size {
  readonly rounds: number;
  readonly count: number;
  readonly characters: number;
  readonly heapMb?: number;
}

const attackOf = (
  title: string,
  handler: string,
  { rounds, count, characters, heapMb = 64 }: Size,
): Attack => {
  const body = post(characters, 'post');
  const round = Array<AttackRequest>(count).fill(body);
  return {
    title,
    source: `${LOOK}\nmodule.exports.get = (req, res) => look(req, res);\n${handler}`,
    policy: { version: 1, limits: { heapMb } },
    rounds: [
      [looking()],
      ...Array.from({ length: rounds }, () => [...round, looking(), looking()]),
      [looking({ keys: true })],
    ],
    expect: TAKEN,
  };
};

const SIZES = [
  ['a-few-kilobytes', { rounds: 5, count: 32, characters: 60_000 }],
  ['half-a-megabyte', { rounds: 2, count: 16, characters: 500_000 }],
  ['four-megabytes', { rounds: 1, count: 8, characters: 4_000_000 }],
  ['eight-megabytes', { rounds: 1, count: 4, characters: 8_000_000, heapMb: 256 }],
] as const;

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  SIZES.flatMap(([name, size]) => [
    [name, attackOf(`bodies from many callers at once: ${name}`, SYNCHRONOUS, size)],
    [`${name}-that-wait`, attackOf(`bodies of requests that wait at the same time: ${name}`, WAITING, size)],
  ]),
);
