// Entity tags. A document's tag starts with its `v`, so that any of them can serve as a precondition of a write.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Tag of a page of documents. The letter keeps it from looking like that of a document. */
export function listTag(body: string): string {
  return `"l${hash('sha1', body, 'base64url')}"`;
}

/** Tag of one representation of a document in state `v`. The checksum has only those of one state to tell apart. */
export function documentTag(v: number, body: string): string {
  return `"${v}-${crc32(body).toString(36)}"`;
}

const members = (header: string) => header.split(',').map((member) => member.trim());
const opaque = (tag: string) => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** Does `If-None-Match` name this tag? Compares weakly, as RFC 9110 13.1.2 wants. */
export function noneMatch(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  return members(header).some((member) => opaque(member) === tag);
}
