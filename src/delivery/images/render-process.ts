// The render process: takes one image after the other from its standard input. Holds no secret, reads no file, and may be
// killed at any moment: what native libraries make of hostile bytes ends here.
import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import sharp from 'sharp';
import { createOriginalImageBuffer, stripPngExtras } from './original.ts';
import { render } from './render.ts';
import {
  createPipeReader,
  MAX_DECODING_BYTES,
  RenderError,
  type RenderJob,
  writeBytes,
  writeEnd,
  writeMessage,
} from './render-protocol.ts';

const READ_BYTES = 512 * 1024;
const LOADERS = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer', 'HeifBuffer'];

// One process renders one image: what runs at the same time is decided by the server.
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS.map((loader) => `VipsForeignLoad${loader}`) });

let job: RenderJob | undefined;
const source = createOriginalImageBuffer();
let granted: (() => void) | undefined;

/** Libraries copy what they read; so much is told beside what is decoded. */
const COPIES_OF_SOURCE = 3;

function reserve(bytes: number, sourceBytes: number): Promise<void> {
  if (bytes > MAX_DECODING_BYTES) {
    throw new RenderError('too-large', 'The image takes too much memory in this format');
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  granted = resolve;
  writeMessage(process.stdout, { reserve: Math.ceil(bytes + sourceBytes * COPIES_OF_SOURCE) });
  return promise;
}

async function run(current: RenderJob, bytes: Buffer): Promise<void> {
  try {
    const { info, body } = await render(sharp, bytes, current, async (wanted) =>
      reserve(wanted, bytes.length),
    );
    writeMessage(process.stdout, { info });
    writeBytes(process.stdout, body);
    writeEnd(process.stdout);
  } catch (error) {
    const isExpected = error instanceof RenderError;
    const reason = isExpected ? error.reason : 'failed';
    writeMessage(process.stdout, { failure: reason, message: isExpected ? error.message : String(error) });
  }
}

const read = createPipeReader((kind, payload) => {
  if (kind === 'B') source.add(payload);
  if (kind === 'E' && job !== undefined) void run(job, stripPngExtras(source.take()));
  if (kind !== 'J') return;
  const message = JSON.parse(payload.toString()) as { job?: RenderJob; size?: number };
  if (message.job === undefined) granted?.();
  else {
    job = message.job;
    source.expect(message.size);
  }
});
// One buffer for all reads, and a large one: the originals are most of what passes here.
const input = new Socket({
  fd: 0,
  readable: true,
  writable: false,
  onread: {
    buffer: Buffer.allocUnsafe(READ_BYTES),
    callback(length, buffer) {
      read(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    },
  },
});
// The server has gone, or needs this process no more; also while a rendering is stuck.
input.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
writeMessage(process.stdout, { ready: true });
// It will be killed, and could not do it then.
flushCompileCache();
