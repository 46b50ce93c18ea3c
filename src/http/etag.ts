// Entity tags. A document's tag starts with its `v`, so that any of them can serve as a precondition of a write.
import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { forEachInSlices } from '../lib/slices.ts';
import { slicesOf, type Text } from '../lib/text-pieces.ts';

const listTagOf = (digest: string) => `"l${digest}"`;
const documentTagOf = (v: number, checksum: number) => `"${v}-${checksum.toString(36)}"`;

/** Tag of a page of documents. The letter keeps it from looking like that of a document. */
export function listTag(body: string): string {
  return listTagOf(hash('sha1', body, 'base64url'));
}

/** Tag of one representation of a document in state `v`. The checksum has only those of one state to tell apart. */
export function documentTag(v: number, body: string): string {
  return documentTagOf(v, crc32(body));
}

/** The same tags for a long body, found while others have their turns; and its length in bytes. `v`: of a document. */
export async function longTag(
  body: Text,
  v?: number,
): Promise<{ readonly tag: string; readonly bytes: number }> {
  const digest = createHash('sha1');
  let checksum = 0;
  let bytes = 0;
  await forEachInSlices(slicesOf(body), (slice) => {
    const chunk = Buffer.from(slice);
    bytes += chunk.length;
    if (v === undefined) digest.update(chunk);
    else checksum = crc32(chunk, checksum);
  });
  const tag = v === undefined ? listTagOf(digest.digest('base64url')) : documentTagOf(v, checksum);
  return { tag, bytes };
}

const members = (header: string) => header.split(',').map((member) => member.trim());
const opaque = (tag: string) => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** Does `If-None-Match` name this tag? Compares weakly, as RFC 9110 13.1.2 wants. */
export function noneMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  return members(header).some((member) => opaque(member) === tag);
}
