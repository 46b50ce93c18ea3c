// Sets one attack upon an arena and lists what did not end as it should.
import type { Isolation } from '../../../sandbox/protocol.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Arena } from './arena.ts';
import { type Attack, type AttackRequest, type Ending, PATIENT } from './attack.ts';
import { type Answer, problemsOf } from './endings.ts';
import { endpointAt, hookAt, type Place } from './places.ts';

const DEFAULT_WALL_MS = 5000;
/** From the wall clock to the kill. */
const GRACE_MS = 250;
/** What a neighbour may wait besides: a new host, and the time slices of a machine that does other things. */
const SLICE_MS = 3000;

const endingOf = (expect: Attack['expect'], at: number): Ending =>
  (Array.isArray(expect) ? (expect[at] ?? expect.at(-1)) : expect) as Ending;

/** Clocks that an attack does not set are not what ends it. */
const limitsOf = ({ policy }: Attack): JsonObject => ({ ...PATIENT, ...(policy?.['limits'] as JsonObject) });

/** How long an attack may keep a neighbour from a host: one that ends by itself no longer than by default. */
const wallOf = (attack: Attack): number => Math.min(Number(limitsOf(attack)['wallMs']), DEFAULT_WALL_MS);

/** Undefined when both the code and its policy were accepted. */
async function upload(arena: Arena, place: Place, code: { source: string; policy: JsonObject | undefined }) {
  const posted = await arena.post(place, code.source);
  if (posted.status !== 200) return posted;
  if (code.policy === undefined) return undefined;
  const put = await arena.putPolicy(place, code.policy);
  return put.status < 300 ? undefined : put;
}

async function callAll(arena: Arena, place: Place, attack: Attack): Promise<Answer[]> {
  const requests: readonly AttackRequest[] = attack.requests ?? [place.request];
  if (attack.atOnce === true) return Promise.all(requests.map((request) => arena.call(place, request)));
  const answers: Answer[] = [];
  for (const request of requests) answers.push(await arena.call(place, request));
  return answers;
}

async function neighbourProblems(arena: Arena, withinMs: number): Promise<string[]> {
  try {
    const took = await arena.neighbour();
    return took <= withinMs ? [] : [`the neighbour took ${Math.round(took)} ms`];
  } catch (error) {
    return [String(error)];
  }
}

async function witnessProblems(arena: Arena, place: Place, attack: Attack, policy: JsonObject | undefined) {
  if (attack.witness === undefined) return [];
  const { source, expect } = attack.witness;
  const refused = await upload(arena, place, { source, policy });
  const answer = refused ?? (await arena.call(place, {}));
  return problemsOf(answer, expect).map((problem) => `the witness: ${problem}`);
}

/** Posts the attack under `name`, calls it with the neighbour beside it, and once more the neighbour after it. */
export async function fight(
  arena: Arena,
  name: string,
  { attack, isolation }: { readonly attack: Attack; readonly isolation: Isolation | undefined },
): Promise<readonly string[]> {
  const limited = { version: 1, ...attack.policy, limits: limitsOf(attack) };
  const policy = isolation === undefined ? limited : { ...limited, isolation };
  const place = attack.hook === undefined ? endpointAt(name) : hookAt(name, attack.hook);
  const refused = await upload(arena, place, { source: attack.source, policy });
  const bound = wallOf(attack) + GRACE_MS + SLICE_MS;
  if (refused !== undefined) {
    const first = endingOf(attack.expect, 0);
    return [...problemsOf(refused, first), ...(await neighbourProblems(arena, bound))];
  }
  const [answers, beside] = await Promise.all([
    callAll(arena, place, attack),
    neighbourProblems(arena, bound),
  ]);
  const wrong = answers.flatMap((answer, at) => [...problemsOf(answer, endingOf(attack.expect, at))]);
  const witnessed = await witnessProblems(arena, endpointAt(`${name}-witness`), attack, policy);
  return [...wrong, ...witnessed, ...beside, ...(await neighbourProblems(arena, bound))];
}
