// Entity tags. A document's tag starts with its `v`, so that any of them can serve as a precondition of a write.
import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { forEachYielding } from '../../lib/async/yielding.ts';
import { type ChunkedText, textChunks } from '../../lib/chunked-text.ts';

const formatListEtag = (digest: string) => `"l${digest}"`;
const formatDocumentEtag = (v: number, checksum: number) => `"${v}-${checksum.toString(36)}"`;

/** Tag of a page of documents. The letter keeps it from looking like that of a document. */
export function listEtag(body: string): string {
  return formatListEtag(hash('sha1', body, 'base64url'));
}

/** Tag of one representation of a document in state `v`. The checksum has only those of one state to tell apart. */
export function documentEtag(v: number, body: string): string {
  return formatDocumentEtag(v, crc32(body));
}

/** The same tags for a long body, found while others have their turns; and its length in bytes. `v`: of a document. */
export async function computeLongEtag(
  body: ChunkedText,
  v?: number,
): Promise<{ readonly tag: string; readonly bytes: number }> {
  const digest = createHash('sha1');
  let checksum = 0;
  let bytes = 0;
  await forEachYielding(textChunks(body), (slice) => {
    const chunk = Buffer.from(slice);
    bytes += chunk.length;
    if (v === undefined) digest.update(chunk);
    else checksum = crc32(chunk, checksum);
  });
  const tag = v === undefined ? formatListEtag(digest.digest('base64url')) : formatDocumentEtag(v, checksum);
  return { tag, bytes };
}

const splitList = (header: string) => header.split(',').map((member) => member.trim());
const stripWeak = (tag: string) => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** Does `If-None-Match` name this tag? Compares weakly, as RFC 9110 13.1.2 wants. */
export function matchesIfNoneMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  return splitList(header).some((member) => stripWeak(member) === tag);
}
