// The keys that sign audit entries.
import { createHmac } from 'node:crypto';

const MIN_KEY_LENGTH = 32;
const ID_DIGITS = 16;

export interface AuditKey {
  /** Identifies the key and reveals nothing about it. */
  readonly id: string;
  /** HMAC-SHA256 of a text, in hexadecimal digits. */
  sign(text: string): string;
}

export interface AuditKeys {
  /** Signs new entries. */
  readonly current: AuditKey;
  readonly ids: readonly string[];
  /** Finds the current key or an older one. */
  find(id: string): AuditKey | undefined;
}

function keyOf(secret: string): AuditKey {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
  return { id: sign('id of a key of the audit log').slice(0, ID_DIGITS), sign };
}

/** Parses keys separated by white space, the current one first. Undefined if one is too short or there is none. */
export function parseAuditKeys(text: string): AuditKeys | undefined {
  const secrets = text.split(/\s+/).filter((secret) => secret !== '');
  const [current, ...older] = secrets.map(keyOf);
  if (current === undefined || secrets.some((secret) => secret.length < MIN_KEY_LENGTH)) return undefined;
  const keys = new Map([current, ...older].map((key) => [key.id, key]));
  return { current, ids: [...keys.keys()], find: (id) => keys.get(id) };
}
