// The writes of a commit as a few long buffers, which are cheaper to send to a thread than thousands of objects.
import { StoreError } from '../../../errors/errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { type Namespace, namespaceKey, type StoredDocument, type Write } from '../../ports.ts';

export interface SerializedWrites {
  /** Two lines per write: the operation as JSON, and the text of the document. */
  readonly chunks: readonly Uint8Array[];
  readonly namespaces: readonly Namespace[];
  /** UTF-16 units of all texts. */
  readonly size: number;
  readonly deadline: number | undefined;
}

type Line =
  | readonly [kind: 'insert', ns: number]
  | readonly [kind: 'update', ns: number, id: string, v: number, changed: readonly string[]]
  | readonly [kind: 'remove', ns: number, id: string, v: number];

const CHUNK_LENGTH = 256 * 1024;
const MAX_BLOCKING_MS = 3;

function lineOf(write: Write, ns: number): Line {
  if (write.kind === 'insert') return ['insert', ns];
  if (write.kind === 'remove') return ['remove', ns, write.id, write.v];
  return ['update', ns, write.id, write.v, write.changed];
}

/** Serializes `writes`. Yields to the event loop every few milliseconds. */
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
    const { database, collection } = write.ns;
    const key = namespaceKey(write.ns);
    // A namespace may have more members, which would be cloned to the thread.
    const ns = numbers.get(key) ?? namespaces.push({ database, collection }) - 1;
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

/** Iterates over the writes. */
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
  if (ns === undefined)
    throw new StoreError('unavailable', { cause: 'serialized writes without a namespace' });
  if (line[0] === 'remove') return { kind: 'remove', ns, id: line[2], v: line[3] };
  const document = JSON.parse(text) as JsonObject as StoredDocument;
  if (line[0] === 'insert') return { kind: 'insert', ns, document, text };
  return { kind: 'update', ns, id: line[2], v: line[3], changed: line[4], document, text };
}
