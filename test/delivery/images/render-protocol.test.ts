// Frames survive every cut of the stream, and nothing else passes.

import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOriginalImageBuffer } from '../../../src/delivery/images/original.ts';
import {
  createPipeReader,
  MAX_FRAME_BYTES,
  writeBytes,
  writeEnd,
  writeMessage,
} from '../../../src/delivery/images/render-protocol.ts';

function wire(): Buffer {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece);
      done();
    },
  });
  writeMessage(stream, { job: 1 });
  writeBytes(stream, Buffer.alloc(MAX_FRAME_BYTES + 5, 'x'));
  writeEnd(stream);
  return Buffer.concat(pieces);
}

it('frames between server and render process arrive as they were sent, however the stream is cut', () => {
  const bytes = wire();
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 }), (cuts) => {
      const seen: string[] = [];
      let body = 0;
      const read = createPipeReader((kind, payload) => {
        if (kind === 'B') body += payload.length;
        else seen.push(kind + payload.toString());
      });
      const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      for (let index = 1; index < edges.length; index += 1) {
        read(bytes.subarray(edges[index - 1], edges[index]));
      }
      expect(seen).toEqual(['J{"job":1}', 'E']);
      expect(body).toBe(MAX_FRAME_BYTES + 5);
    }),
    { numRuns: 50 },
  );
});

it.each([Buffer.from('X\0\0\0\0'), Buffer.from([66, 255, 255, 255, 255])])(
  'a malformed frame is rejected: %j',
  (bytes) => {
    expect(() => createPipeReader(() => undefined)(bytes)).toThrow('malformed frame');
  },
);

it.each([undefined, 0, 3, 6, 100])(
  'the source buffer holds all bytes when the announced size is %j',
  (size) => {
    const source = createOriginalImageBuffer();
    source.add(Buffer.from('of the one before'));
    source.expect(size);
    for (const piece of ['ab', 'cd', 'ef']) source.add(Buffer.from(piece));
    expect(source.take().toString()).toBe('abcdef');
    expect(source.take()).toHaveLength(0);
  },
);
