// Client secrets: generated at random, stored as scrypt hashes, compared in constant time.
import { type BinaryLike, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive: (
  secret: BinaryLike,
  salt: BinaryLike,
  length: number,
  options: ScryptOptions,
) => Promise<Buffer> = promisify(scrypt);

/** Parameters of scrypt. Stored with each hash, so that raising them leaves old hashes valid. */
export interface HashCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 16 MB and about 50 ms a hash. */
const DEFAULT_COST: HashCost = { N: 16_384, r: 8, p: 1 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const HASH = /^scrypt:(\d{1,8}):(\d{1,3}):(\d{1,3}):([\w-]{22}):([\w-]{43})$/;

const encode = (salt: Buffer, key: Buffer, { N, r, p } = DEFAULT_COST) =>
  ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join(':');

/**
 * A secret of 192 random bits, safe in URLs and shell lines: it never begins with `-`, which command lines would take for a flag.
 * `random` gives as many random bytes as it is asked for.
 */
export function generateSecret(random: (size: number) => Buffer = randomBytes): string {
  for (;;) {
    const secret = random(24).toString('base64url');
    if (!secret.startsWith('-')) return secret;
  }
}

/** The text to store in place of a secret. Runs on the thread pool. */
export async function hashSecret(secret: string, cost = DEFAULT_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return encode(salt, await derive(secret, salt, KEY_BYTES, cost), cost);
}

/** A hash that no secret has. Comparing with it takes the time of a real comparison. */
export function createDecoyHash(cost = DEFAULT_COST): string {
  return encode(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES), cost);
}

/** True if `hash` is that of `secret`. False for text in another format. */
export async function secretMatches(secret: string, hash: string): Promise<boolean> {
  const [, n, r, p, salt, key] = HASH.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return false;
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const expected = Buffer.from(key, 'base64url');
  const options = { ...cost, maxmem: 256 * cost.r * (cost.N + cost.p + 2) };
  const actual = await derive(secret, Buffer.from(salt, 'base64url'), expected.length, options);
  return timingSafeEqual(actual, expected);
}
