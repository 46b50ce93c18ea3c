// The keys that sign the entries of the audit log.
import { createHmac } from 'node:crypto';

const LEAST_CHARACTERS = 32;
const ID_DIGITS = 16;

export interface AuditKey {
  /** Says which key it is, and nothing about the key. */
  readonly id: string;
  /** HMAC-SHA256 of a text, in hexadecimal digits. */
  sign(text: string): string;
}

export interface AuditKeys {
  /** Signs new entries. */
  readonly current: AuditKey;
  readonly ids: readonly string[];
  /** The key of this id, be it the current one or an older one. */
  find(id: string): AuditKey | undefined;
}

function keyOf(secret: string): AuditKey {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
  return { id: sign('id of a key of the audit log').slice(0, ID_DIGITS), sign };
}

/** Reads keys that are separated by white space, the current one first. Undefined where one is too short, or there is none. */
export function parseAuditKeys(text: string): AuditKeys | undefined {
  const secrets = text.split(/\s+/).filter((secret) => secret !== '');
  const [current, ...older] = secrets.map(keyOf);
  if (current === undefined || secrets.some((secret) => secret.length < LEAST_CHARACTERS)) return undefined;
  const keys = new Map([current, ...older].map((key) => [key.id, key]));
  return { current, ids: [...keys.keys()], find: (id) => keys.get(id) };
}
