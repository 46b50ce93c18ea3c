// Sets one attack upon an arena and lists what did not end as it should.
import type { Isolation } from '../../../sandbox/protocol.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { loopMs } from '../../helpers/server-process/timing.ts';
import type { Arena } from './arena.ts';
import { type Attack, type AttackRequest, type Ending, PATIENT } from './attack.ts';
import { disclosures, type Exchange } from './disclosures.ts';
import { type Answer, isBusy, problemsOf } from './endings.ts';
import { endpointAt, hookAt, type Place } from './places.ts';

const DEFAULT_WALL_MS = 5000;
/** From the wall clock to the kill. */
const GRACE_MS = 250;
/** What a neighbour may wait besides: a new host, and the time slices of a machine that does other things. */
const SLICE_MS = 3000;
/** A host is careful for a hundred times as long as a time slice took, and the first one of an isolate takes 10 to 30 ms. */
const CAREFUL_MS = 3000;
/** Times that a request is sent for which no host is free. */
const MAX_TRIES = 10;
/** Requests of a module that run at the same time. */
const CONCURRENCY = 16;

/** How the request of this number ends. */
const endingOf = ({ expect }: Attack, request: AttackRequest, at: number): Ending =>
  request.expect ?? ((Array.isArray(expect) ? (expect[at] ?? expect.at(-1)) : expect) as Ending);

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

/** The requests of an attack: in turn, and those of each round at once. */
function roundsOf(place: Place, attack: Attack): readonly (readonly AttackRequest[])[] {
  const requests = attack.requests ?? [place.request];
  return attack.rounds ?? (attack.atOnce === true ? [requests] : requests.map((request) => [request]));
}

/**
 * Resolves when requests of a synchronous module share entries, unless the machine is so slow that every time slice is long. Asks as
 * many as an attack does at first, so that every host has the module, and then one after the other: others may be fighting.
 */
async function warmUp(arena: Arena, place: Place, request: AttackRequest): Promise<void> {
  const until = performance.now() + CAREFUL_MS;
  await Promise.all(Array.from({ length: CONCURRENCY }, () => arena.call(place, request)));
  while (performance.now() < until) await arena.call(place, request);
}

/** Sends a request again while no host is free, unless that is an ending of it: on a slow machine none may be within a second. */
async function callUntilFree(
  arena: Arena,
  place: Place,
  { request, ending }: { readonly request: AttackRequest; readonly ending: Ending },
): Promise<Exchange> {
  for (let tries = 1; ; tries += 1) {
    let answer!: Answer;
    const ms = await loopMs(async () => {
      answer = await arena.call(place, request);
    });
    const mayComeBack = isBusy(answer) && problemsOf(answer, ending).length > 0;
    if (!mayComeBack || tries === MAX_TRIES) return { request, answer, ms };
  }
}

async function callAll(arena: Arena, place: Place, attack: Attack): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const round of roundsOf(place, attack)) {
    const first = exchanges.length;
    const calls = round.map((request, at) =>
      callUntilFree(arena, place, { request, ending: endingOf(attack, request, first + at) }),
    );
    exchanges.push(...(await Promise.all(calls)));
  }
  return exchanges;
}

async function neighbourProblems(arena: Arena, withinMs: number): Promise<string[]> {
  try {
    const took = await arena.neighbour(withinMs);
    return took <= withinMs ? [] : [`the neighbour took ${Math.round(took)} ms`];
  } catch (error) {
    return [String(error)];
  }
}

async function witnessProblems(arena: Arena, place: Place, attack: Attack, policy: JsonObject | undefined) {
  if (attack.witness === undefined) return [];
  const { source, expect } = attack.witness;
  const refused = await upload(arena, place, { source, policy });
  const answer = refused ?? (await callUntilFree(arena, place, { request: {}, ending: expect })).answer;
  return problemsOf(answer, expect).map((problem) => `the witness: ${problem}`);
}

interface Bout {
  readonly attack: Attack;
  readonly isolation: Isolation | undefined;
}

interface Prepared {
  readonly place: Place;
  readonly policy: JsonObject;
  /** The answer that refused the code or its policy. */
  readonly refused: Answer | undefined;
}

/** Posts the attack under `name`, and has it ready to be called. */
export async function prepare(arena: Arena, name: string, { attack, isolation }: Bout): Promise<Prepared> {
  const limited = { version: 1, ...attack.policy, limits: limitsOf(attack) };
  const policy = isolation === undefined ? limited : { ...limited, isolation };
  const place = attack.hook === undefined ? endpointAt(name) : hookAt(name, attack.hook);
  const refused = await upload(arena, place, { source: attack.source, policy });
  if (refused === undefined && attack.warmUp !== undefined) await warmUp(arena, place, attack.warmUp);
  return { place, policy, refused };
}

/** Calls an attack with the neighbour beside it, and once more the neighbour after it. */
export async function fight(
  arena: Arena,
  name: string,
  { attack, prepared }: { readonly attack: Attack; readonly prepared: Prepared },
): Promise<readonly string[]> {
  const { place, policy, refused } = prepared;
  const bound = wallOf(attack) + GRACE_MS + SLICE_MS;
  if (refused !== undefined) {
    const first = endingOf(attack, {}, 0);
    return [...problemsOf(refused, first), ...(await neighbourProblems(arena, bound))];
  }
  const [exchanges, beside] = await Promise.all([
    callAll(arena, place, attack),
    neighbourProblems(arena, bound),
  ]);
  const ended = exchanges.flatMap(({ request, answer, ms }, at) => [
    ...problemsOf(answer, endingOf(attack, request, at)).map((problem) => `${at}: ${problem}`),
    ...(ms > (request.withinMs ?? ms) ? [`${at}: it took ${Math.round(ms)} ms`] : []),
  ]);
  const wrong = [...ended, ...(await disclosures(arena, place, { attack, exchanges }))];
  const witnessed = await witnessProblems(arena, endpointAt(`${name}-witness`), attack, policy);
  return [...wrong, ...witnessed, ...beside, ...(await neighbourProblems(arena, bound))];
}
