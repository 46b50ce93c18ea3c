// One upload of a gigabyte of zeros, and what it adds to the memory of the server.
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { residentMemory } from '../processes.ts';
import type { RunningServer } from '../servers.ts';
import { FORM_TYPE, formEnd, formHead } from './form.ts';
import { PICTURES } from './servers.ts';

const GIGABYTE = 1024 ** 3;
const CHUNK = Buffer.alloc(1024 * 1024);
const SAMPLE_MS = 20;

function* formOf(head: Buffer): Generator<Buffer> {
  yield head;
  for (let sent = 0; sent < GIGABYTE; sent += CHUNK.length) yield CHUNK;
  yield formEnd;
}

export interface LargeUpload {
  readonly seconds: number;
  /** Bytes of resident memory at the most, above those at the start. */
  readonly growth: number;
}

/** Rejects when the answer is not 201. */
export async function uploadGigabyte({ url, pid, headers }: RunningServer): Promise<LargeUpload> {
  const head = formHead('zeros.bin', 'application/octet-stream');
  const before = residentMemory(pid);
  let most = before;
  const sampler = setInterval(() => {
    most = Math.max(most, residentMemory(pid));
  }, SAMPLE_MS);
  const from = performance.now();
  try {
    const length = head.length + GIGABYTE + formEnd.length;
    const sending = request(url + PICTURES, {
      method: 'POST',
      headers: { ...headers, 'content-type': FORM_TYPE, 'content-length': length },
    });
    const answered = new Promise<number>((resolve, reject) => {
      sending.once('error', reject);
      sending.once('response', (answer) =>
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0)),
      );
    });
    await pipeline(Readable.from(formOf(head)), sending);
    const status = await answered;
    if (status !== 201) throw new Error(`the upload of a gigabyte: ${status}`);
    return { seconds: (performance.now() - from) / 1000, growth: most - before };
  } finally {
    clearInterval(sampler);
  }
}
