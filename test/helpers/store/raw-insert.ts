// Inserts a document by MongoDB's wire protocol: the driver cannot write text that is no UTF-8, other programs do.
import { once } from 'node:events';
import { connect } from 'node:net';
import { BSON, type Document } from 'mongodb';
import { rawClient } from './mongo-servers.ts';

const OP_MSG = 2013;
const HEADER_BYTES = 16;

/** What stands for the bytes 61 ff 62, which are no UTF-8: of the same length. */
export const NO_UTF8 = '\u0001\u0002\u0003';
/** How it is shown. */
export const SHOWN = 'a\ufffdb';

/** Inserts documents; `NO_UTF8` in their texts becomes bytes that are no UTF-8. */
export async function insertRaw(
  uri: string,
  target: { readonly database: string; readonly collection: string },
  documents: readonly Document[],
): Promise<void> {
  const { primary } = await rawClient(uri).db('admin').command({ hello: 1 });
  const { hostname, port } = new URL(`http://${primary ?? new URL(uri).host}`);
  const body = Buffer.from(
    BSON.serialize({
      insert: target.collection,
      documents,
      $db: target.database,
      writeConcern: { w: 'majority' },
    }),
  );
  for (let at = body.indexOf(NO_UTF8); at >= 0; at = body.indexOf(NO_UTF8, at))
    body.set([0x61, 0xff, 0x62], at);
  const head = Buffer.alloc(HEADER_BYTES + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(1, 4);
  head.writeInt32LE(OP_MSG, 12);
  const socket = connect(Number(port), hostname);
  socket.write(Buffer.concat([head, body]));
  const [answer] = await once(socket, 'data');
  socket.destroy();
  const { ok, n } = BSON.deserialize((answer as Buffer).subarray(HEADER_BYTES + 5));
  if (ok !== 1 || n !== documents.length) throw new Error(`not inserted: ${JSON.stringify({ ok, n })}`);
}
