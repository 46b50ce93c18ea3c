// The form of a stored variant: a head with what is known of it and the hash of its body, then the body.
import { createHash } from 'node:crypto';
import { isJsonObject } from '../../lib/json/json.ts';
import type { VariantInfo } from './variant-store.ts';

export interface VariantHead {
  readonly info: VariantInfo;
  /** Bytes of the body. */
  readonly size: number;
  /** SHA-256 of the body, in hexadecimal digits. */
  readonly hash: string;
  /** Where the body begins. */
  readonly offset: number;
}

const MAGIC = 'CLV1';
const PREFIX_BYTES = 8;
/** Of the head, prefix included: reading so many bytes from the start is always enough. */
export const MAX_HEAD_BYTES = 64 * 1024;
/** Of a head, to be read first: nearly all are shorter. */
export const USUAL_HEAD_BYTES = 2048;
const MAX_TEXT = 16 * 1024;

export const bodyHash = (body: Uint8Array) => createHash('sha256').update(body).digest('hex');

/** The bytes of a variant; undefined where its path is too long to be kept. */
export function encodeVariant(info: VariantInfo, body: Buffer): readonly [Buffer, Buffer] | undefined {
  if ([info.path, info.source, info.settings].some((text) => text.length > MAX_TEXT)) return undefined;
  const text = Buffer.from(JSON.stringify({ info, size: body.length, hash: bodyHash(body) }));
  if (PREFIX_BYTES + text.length > MAX_HEAD_BYTES) return undefined;
  const head = Buffer.alloc(PREFIX_BYTES + text.length);
  head.write(MAGIC, 'latin1');
  head.writeUInt32BE(text.length, 4);
  text.copy(head, PREFIX_BYTES);
  return [head, body];
}

function parseInfo(raw: unknown): VariantInfo | undefined {
  if (!isJsonObject(raw)) return undefined;
  const { contentType, recipe, path, source, settings, width, height } = raw;
  const texts = [contentType, recipe, path, source, settings];
  const numbers = [width, height];
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  if (!numbers.every((number) => Number.isSafeInteger(number))) return undefined;
  return raw as unknown as VariantInfo;
}

/** Reads the head from the first bytes of a variant. Undefined when they are damaged. */
export function decodeHead(start: Buffer): VariantHead | undefined {
  if (start.length < PREFIX_BYTES || start.toString('latin1', 0, 4) !== MAGIC) return undefined;
  const offset = PREFIX_BYTES + start.readUInt32BE(4);
  if (offset > start.length) return undefined;
  try {
    const head: unknown = JSON.parse(start.toString('utf8', PREFIX_BYTES, offset));
    if (!isJsonObject(head)) return undefined;
    const { size, hash } = head;
    const info = parseInfo(head['info']);
    if (info === undefined || typeof hash !== 'string') return undefined;
    return Number.isSafeInteger(size) ? { info, size: Number(size), hash, offset } : undefined;
  } catch {
    return undefined;
  }
}
