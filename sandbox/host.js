// A sandbox host: the process in which posted code runs. It locks itself in, then answers one message after the other.
// It is a plain loop on one pipe, without an event loop: what hangs in here hangs until the server kills it, and that is all
// that can happen. It never exits by itself but by SIGKILL: leaving in order would wait for isolates that may be stuck.
import { cpu, peakMb } from './cpu.js';
import { createFrameReader, createFrameWriter } from './frames.js';
import { createGuest, inspect, versions } from './isolate.js';
import { lock } from './lock.js';
import { createRequestRunner } from './request-runner.js';

const PIPE = 3;

// No error of this process tells where in it it came from: guest code might see it.
Error.stackTraceLimit = 0;

const reader = createFrameReader(PIPE);
const writer = createFrameWriter(PIPE);

function die() {
  for (;;) process.kill(process.pid, 'SIGKILL');
}

/** @param {number | null} number The request whose time slice it was. */
function lost(number) {
  const { flush } = createFrameWriter(PIPE);
  try {
    flush({ t: 'lost', number });
  } finally {
    die();
  }
}

const runner = createRequestRunner({ createGuest, writer, now: () => performance.now(), cpu, peakMb, lost });

/** @type {{ [kind: string]: (message: any, raw: Buffer) => void }} */
const handlers = {
  __proto__: null,
  ...runner,
  inspect: ({ id, kind, loadMs, heapMb }, raw) =>
    writer.flush({ t: 'inspected', id, inspection: inspect(raw.toString(), { kind, loadMs, heapMb, cpu }) }),
};

try {
  const layers = lock();
  writer.flush({ t: 'ready', versions: versions(), layers });
  for (let frame = reader.next(); frame !== null; frame = reader.next()) {
    handlers[frame.header.t](frame.header, frame.raw);
  }
} finally {
  die();
}
