// The pipe to the process of one host: encodes the frames that are sent, and reads those that come back. These are hostile: both
// lengths are checked before anything is buffered, and the header before any raw byte. The form of a frame is in sandbox/protocol.ts.

import type { FromHost, ToHost } from '../../sandbox/protocol.ts';
import { exitSignal } from './isolation/child-process.ts';
import type { IsolationLayers } from './isolation/isolation-levels.ts';
import type { HostProcess } from './isolation/launcher.ts';
import { parseHostMessage } from './protocol/host-messages.ts';

/** Most bytes of a header that a host may send: 16 requests with all the log lines and calls that they may have. */
const MAX_HEADER_BYTES = 524_288;
/** Most raw bytes of a frame from a host. */
const MAX_RAW_BYTES = 67_108_864;
const LENGTHS = 8;

/** Encodes lengths, header and texts. */
export function encodeFrame(header: string, texts: readonly string[], rawBytes: number): Buffer {
  const headerBytes = Buffer.byteLength(header);
  const frame = Buffer.allocUnsafe(LENGTHS + headerBytes + rawBytes);
  frame.writeUInt32BE(headerBytes, 0);
  frame.writeUInt32BE(rawBytes, 4);
  let at = LENGTHS + frame.write(header, LENGTHS);
  for (const text of texts) if (text !== '') at += frame.write(text, at);
  return frame;
}

export interface FrameReader {
  /** False when a frame is rejected: nothing after that can be trusted. */
  push(chunk: Buffer): boolean;
}

/** Handles frames; `M` is the type of parsed headers. */
interface FrameHandler<M> {
  /** Parses a header; null rejects the frame, before any of its raw bytes is buffered. */
  header(header: string, rawBytes: number): M | null;
  /** Handles a whole frame; false rejects it. `raw` may be part of the chunk that was pushed. */
  frame(message: M, raw: Buffer): boolean;
}

function isTooLarge(headerBytes: number, rawBytes: number): boolean {
  return headerBytes > MAX_HEADER_BYTES || rawBytes > MAX_RAW_BYTES;
}

/** Splits what a socket delivers into frames. It stops for good when one is rejected. */
export function createFrameReader<M>(handler: FrameHandler<M>): FrameReader {
  const lengths = Buffer.alloc(LENGTHS);
  let lengthsFilled = 0;
  /** The part of a frame that did not come in one piece: first its header, then its raw bytes. */
  let part: Buffer | undefined;
  let partFilled = 0;
  let message: M | undefined;

  const expect = (bytes: number) => {
    // Memory that is reserved and never filled costs nothing.
    part = Buffer.allocUnsafeSlow(bytes);
    partFilled = 0;
  };
  const reset = () => {
    part = undefined;
    message = undefined;
    lengthsFilled = 0;
  };

  /** Takes whole frames straight out of the chunk. Returns where it stopped, or -1. */
  const takeWhole = (chunk: Buffer, from: number): number => {
    let at = from;
    while (chunk.length - at >= LENGTHS) {
      const headerBytes = chunk.readUInt32BE(at);
      const rawBytes = chunk.readUInt32BE(at + 4);
      if (isTooLarge(headerBytes, rawBytes)) return -1;
      const rawStart = at + LENGTHS + headerBytes;
      const end = rawStart + rawBytes;
      if (end > chunk.length) return at;
      const whole = handler.header(chunk.toString('utf8', at + LENGTHS, rawStart), rawBytes);
      if (whole === null || !handler.frame(whole, chunk.subarray(rawStart, end))) return -1;
      at = end;
    }
    return at;
  };

  /** A part is there. False ends the reading. */
  const takeFilled = (filled: Buffer): boolean => {
    const rawBytes = lengths.readUInt32BE(4);
    const read = message ?? handler.header(filled.toString(), rawBytes);
    if (read === null) return false;
    const isHeader = message === undefined;
    if (isHeader && rawBytes > 0) {
      message = read;
      expect(rawBytes);
      return true;
    }
    reset();
    return handler.frame(read, isHeader ? filled.subarray(0, 0) : filled);
  };

  /** Goes on with a frame that is not complete. Returns where it stopped, or -1. */
  const takePart = (chunk: Buffer, from: number): number => {
    let at = from;
    if (part === undefined) {
      const copied = chunk.copy(lengths, lengthsFilled, at);
      lengthsFilled += copied;
      at += copied;
      if (lengthsFilled < LENGTHS) return at;
      const headerBytes = lengths.readUInt32BE(0);
      if (isTooLarge(headerBytes, lengths.readUInt32BE(4))) return -1;
      expect(headerBytes);
    }
    const present = part as Buffer;
    const copied = chunk.copy(present, partFilled, at);
    partFilled += copied;
    at += copied;
    if (partFilled < present.length) return at;
    return takeFilled(present) ? at : -1;
  };

  let isStopped = false;
  return {
    push(chunk) {
      let at = 0;
      while (!isStopped && at < chunk.length) {
        const isBetween = part === undefined && lengthsFilled === 0;
        const next = isBetween ? takeWhole(chunk, at) : at;
        at = next === -1 || next === chunk.length ? next : takePart(chunk, next);
        isStopped = at === -1;
      }
      return !isStopped;
    },
  };
}

export interface HostConnection {
  /** `rawBytes`: bytes of all texts in UTF-8. */
  send(message: ToHost, texts: readonly string[], rawBytes: number): void;
  /** Sends SIGKILL. Nothing that the host sends is read any more. */
  kill(): void;
  /** Pid of the process that runs guest code; undefined while unknown. */
  pid(): number | undefined;
  /** The isolation layers around the process; none before it has started. */
  layers(): IsolationLayers;
}

/** What happens on a connection. `H`: what the events call the host, passed on as it was given. */
export interface HostConnectionEvents<H> {
  /** False: the message is not allowed now, so the host is compromised. */
  onMessage(host: H, message: FromHost, raw: Buffer): boolean;
  /** The host broke the protocol, and was killed. */
  onViolation(host: H): void;
  /** The process has exited, by which signal, or could not be started. Called once. */
  onGone(host: H, signal: NodeJS.Signals | undefined): void;
}

/** Bytes that the server buffers for a host that does not read: more than the results of all its guest calls. */
const MAX_UNREAD_BYTES = 268_435_456;
/** Milliseconds between the end of a pipe and that of its process. */
const EXIT_MS = 250;

/** Connects to a host that is being started. What is sent before it has started is buffered. */
export function connectHost<H>(
  host: H,
  starting: Promise<HostProcess>,
  events: HostConnectionEvents<H>,
): HostConnection {
  let child: HostProcess | undefined;
  let early: Buffer[] = [];
  let isKilled = false;
  let isGone = false;

  const gone = (signal: NodeJS.Signals | undefined) => {
    if (isGone) return;
    isGone = true;
    isKilled = true;
    child?.socket.destroy();
    events.onGone(host, signal);
  };
  const kill = () => {
    isKilled = true;
    early = [];
    child?.kill();
  };
  const violated = () => {
    if (isKilled) return;
    kill();
    events.onViolation(host);
  };

  const reader = createFrameReader<FromHost>({
    header: parseHostMessage,
    // The handler of a message may kill the host.
    frame: (message, raw) => events.onMessage(host, message, raw) && !isKilled,
  });

  const attach = (started: HostProcess) => {
    child = started;
    const { process, socket } = started;
    process.on('error', () => {
      // Without a pid the process was not started. Else it could not be signalled, and its exit follows.
      if (process.pid === undefined) gone(undefined);
    });
    process.on('exit', (code, name) => {
      // What it wrote last may still be in the pipe.
      const end = () => gone(exitSignal(code, name));
      if (isKilled || socket.closed) end();
      else socket.on('close', end);
    });
    socket.on('error', () => undefined);
    // The exit should follow at once. A host that closes its pipe and lives on is killed.
    socket.on('close', () => setTimeout(kill, EXIT_MS).unref());
    socket.on('data', (chunk: Buffer) => {
      if (!isKilled && !reader.push(chunk)) violated();
    });
    if (isKilled) kill();
    for (const frame of early) socket.write(frame);
    early = [];
  };
  starting.then(attach, () => gone(undefined));

  return {
    send(message, texts, rawBytes) {
      if (isKilled) return;
      const frame = encodeFrame(JSON.stringify(message), texts, rawBytes);
      if (child === undefined) early.push(frame);
      else if (child.socket.writableLength > MAX_UNREAD_BYTES) violated();
      else child.socket.write(frame);
    },
    kill,
    pid: () => child?.pid(),
    layers: () => child?.layers ?? {},
  };
}
