// The guest calls `bcrypt.hash`, `bcrypt.compare` and `bcrypt.salt`: hashes of passwords, computed outside of the isolate. The work
// is not counted against `cpuMs`, so that it has limits of its own: rounds by the policy, length, how many at once for a module.
import { AppError } from '../errors/errors.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { ModuleVersion } from '../sandbox-supervisor/model/module-version.ts';
import { GuestCallError, getArgument } from './guest-call.ts';

/** Calls that run or wait at a time, for one module. */
export const MAX_ACTIVE_PER_MODULE = 8;
/** Bytes of a text. Of a longer one than 72 the function itself takes no more. */
export const MAX_TEXT_BYTES = 4096;
/** Fewer rounds are not taken for a new hash: they would be guessed. A policy may allow fewer still. */
export const MIN_NEW_ROUNDS = 10;
/** The least that the function takes. */
const MIN_ROUNDS = 4;

const SALT = /^\$2[aby]\$(?<rounds>\d\d)\$[./A-Za-z0-9]{22}$/;
const HASH = /^\$2[aby]\$(?<rounds>\d\d)\$[./A-Za-z0-9]{53}$/;

/** Computes on a thread. Rejects with ENDPOINT_BUSY where too many wait, and with the reason of `signal` while it waits. */
export interface PasswordHasher {
  hash(text: string, salt: number | string, signal: AbortSignal): Promise<string>;
  compare(text: string, hash: string, signal: AbortSignal): Promise<boolean>;
  salt(rounds: number, signal: AbortSignal): Promise<string>;
}

/** Performs a call for a module; resolves with the JSON text of its result. */
type BcryptCall = (args: JsonObject, moduleVersion: ModuleVersion, signal: AbortSignal) => Promise<string>;

const badArguments = (message: string) => new GuestCallError('BAD_ARGUMENTS', message);

function textArgument(args: JsonObject): string {
  const given = getArgument(args, 'text');
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string') throw badArguments('bcrypt needs a text');
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
    throw badArguments(`The text for bcrypt has more than ${MAX_TEXT_BYTES} bytes`);
  return text;
}

function assertGranted(rounds: number, maxRounds: number): void {
  if (rounds <= maxRounds) return;
  throw new GuestCallError(
    'NOT_GRANTED',
    `bcrypt with ${rounds} rounds is not granted: \`grants.bcrypt.maxRounds\` of the policy of this module is ${maxRounds}`,
  );
}

/** The rounds of a new hash. */
function roundsOf(given: unknown, maxRounds: number): number {
  const rounds = typeof given === 'string' && /^\d{1,3}$/.test(given) ? Number(given) : given;
  if (typeof rounds !== 'number' || !Number.isInteger(rounds) || rounds < 0)
    throw badArguments('bcrypt needs a whole number of rounds, or a salt that `genSalt` made');
  assertGranted(rounds, maxRounds);
  return Math.max(rounds, Math.min(MIN_NEW_ROUNDS, maxRounds), MIN_ROUNDS);
}

/** Rounds, or a salt whose rounds are granted. */
function saltArgument(args: JsonObject, maxRounds: number): number | string {
  const given = getArgument(args, 'salt');
  const rounds = typeof given === 'string' ? SALT.exec(given)?.groups?.['rounds'] : undefined;
  if (rounds === undefined) return roundsOf(given, maxRounds);
  const count = Number(rounds);
  if (count < MIN_ROUNDS) throw badArguments('The salt for bcrypt has too few rounds');
  assertGranted(count, maxRounds);
  return given as string;
}

/** The hash; undefined where nothing has it, as it is none. */
function hashArgument(args: JsonObject, maxRounds: number): string | undefined {
  const given = getArgument(args, 'hash');
  if (typeof given !== 'string') throw badArguments('bcrypt needs a hash');
  const rounds = Number(HASH.exec(given)?.groups?.['rounds'] ?? 0);
  if (rounds < MIN_ROUNDS) return undefined;
  assertGranted(rounds, maxRounds);
  return given;
}

type Perform = (args: JsonObject, maxRounds: number, signal: AbortSignal) => Promise<string | boolean>;

/** Creates the calls by their names, for all modules. */
export function createBcryptCalls(hasher: PasswordHasher): ReadonlyMap<string, BcryptCall> {
  const active = new Map<string, number>();

  /** `perform` within the limit of the module. What has begun counts until it ends, whether or not anybody waits for it. */
  const counted =
    (perform: Perform): BcryptCall =>
    async (args, { id, policy }, signal) => {
      const { maxRounds } = policy.grants.bcrypt;
      if (maxRounds < MIN_ROUNDS)
        throw new GuestCallError('NOT_GRANTED', 'The policy of this module grants no `bcrypt`');
      const count = active.get(id) ?? 0;
      if (count >= MAX_ACTIVE_PER_MODULE)
        throw new AppError('ENDPOINT_BUSY', {
          message: `More than ${MAX_ACTIVE_PER_MODULE} calls of bcrypt at a time`,
        });
      active.set(id, count + 1);
      try {
        return JSON.stringify(await perform(args, maxRounds, signal));
      } catch (error) {
        if (signal.aborted) throw new GuestCallError('ABORTED', 'The request is over');
        throw error;
      } finally {
        const left = (active.get(id) ?? 1) - 1;
        if (left === 0) active.delete(id);
        else active.set(id, left);
      }
    };

  return new Map([
    [
      'bcrypt.hash',
      counted(async (args, maxRounds, signal) =>
        hasher.hash(textArgument(args), saltArgument(args, maxRounds), signal),
      ),
    ],
    [
      'bcrypt.compare',
      counted(async (args, maxRounds, signal) => {
        const text = textArgument(args);
        const hash = hashArgument(args, maxRounds);
        return hash !== undefined && hasher.compare(text, hash, signal);
      }),
    ],
    [
      'bcrypt.salt',
      counted(async (args, maxRounds, signal) =>
        hasher.salt(roundsOf(getArgument(args, 'rounds'), maxRounds), signal),
      ),
    ],
  ]);
}
