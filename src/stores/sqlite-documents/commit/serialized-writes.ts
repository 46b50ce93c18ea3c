// Packs the writes of a commit into a few long runs of bytes: cheap to hand to another thread, unlike thousands of objects.
import { StoreError } from '../../../errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Namespace, StoredDocument, Write } from '../../ports.ts';

export interface SerializedWrites {
  /** Two lines a write: what to do, and the document's text. */
  readonly chunks: readonly Uint8Array[];
  readonly namespaces: readonly Namespace[];
  /** UTF-16 units of all documents' texts. */
  readonly size: number;
  readonly deadline: number | undefined;
}

type Line =
  | readonly [kind: 'insert', ns: number]
  | readonly [kind: 'update', ns: number, id: string, v: number, changed: readonly string[]]
  | readonly [kind: 'remove', ns: number, id: string, v: number];

const CHUNK_LENGTH = 256 * 1024;
const MAX_BLOCKING_MS = 3;

/** A copy of `ns` with nothing but its two members, and a key that tells name spaces apart. */
function identify(ns: Namespace): { readonly key: string; readonly plain: Namespace } {
  const plain = { database: ns.database, collection: ns.collection };
  return { key: JSON.stringify([plain.database, plain.collection]), plain };
}

function lineOf(write: Write, ns: number): Line {
  if (write.kind === 'insert') return ['insert', ns];
  if (write.kind === 'remove') return ['remove', ns, write.id, write.v];
  return ['update', ns, write.id, write.v, write.changed];
}

/** Packs `writes`, letting the event loop go on every few milliseconds. */
export async function serializeWrites(
  writes: readonly Write[],
  deadline: number | undefined,
): Promise<SerializedWrites> {
  const numbers = new Map<string, number>();
  const namespaces: Namespace[] = [];
  const chunks: Uint8Array[] = [];
  let chunk = '';
  let size = 0;
  let turnEnd = performance.now() + MAX_BLOCKING_MS;
  for (const write of writes) {
    const { key, plain } = identify(write.ns);
    const ns = numbers.get(key) ?? namespaces.push(plain) - 1;
    numbers.set(key, ns);
    const text = write.kind === 'remove' ? '' : (write.text ?? JSON.stringify(write.document));
    size += text.length;
    chunk += `${JSON.stringify(lineOf(write, ns))}\n${text}\n`;
    if (chunk.length > CHUNK_LENGTH) {
      chunks.push(Buffer.from(chunk, 'utf8'));
      chunk = '';
    }
    if (performance.now() > turnEnd) {
      await new Promise((resolve) => setImmediate(resolve));
      turnEnd = performance.now() + MAX_BLOCKING_MS;
    }
  }
  chunks.push(Buffer.from(chunk, 'utf8'));
  return { chunks, namespaces, size, deadline };
}

/** The writes again, one after the other. */
export function* deserializeWrites({ chunks, namespaces }: SerializedWrites): Iterable<Write> {
  for (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    let start = 0;
    while (start < chunk.length) {
      const middle = chunk.indexOf('\n', start);
      const end = chunk.indexOf('\n', middle + 1);
      const line = JSON.parse(chunk.slice(start, middle)) as Line;
      yield writeOf(line, namespaces[line[1]], chunk.slice(middle + 1, end));
      start = end + 1;
    }
  }
}

function writeOf(line: Line, ns: Namespace | undefined, text: string): Write {
  if (ns === undefined) throw new StoreError('unavailable', { cause: 'a parcel without its name space' });
  if (line[0] === 'remove') return { kind: 'remove', ns, id: line[2], v: line[3] };
  const document = JSON.parse(text) as JsonObject as StoredDocument;
  if (line[0] === 'insert') return { kind: 'insert', ns, document, text };
  return { kind: 'update', ns, id: line[2], v: line[3], changed: line[4], document, text };
}
