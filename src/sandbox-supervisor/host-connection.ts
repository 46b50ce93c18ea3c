// The process of one host: the pipe on which frames are sent and received, and the CPU time and memory that it uses.

import { readFileSync } from 'node:fs';
import type { FromHost, ToHost } from '../../sandbox/protocol.ts';
import { exitSignal } from './isolation/child-process.ts';
import type { HostProcess } from './isolation/launcher.ts';
import { createFrameReader, encodeFrame, parseHostMessage } from './protocol/frames.ts';

export interface HostConnection {
  /** `rawBytes`: bytes of all texts in UTF-8. */
  send(message: ToHost, texts: readonly string[], rawBytes: number): void;
  /** Sends SIGKILL. Nothing that the host sends is read any more. */
  kill(): void;
  /** Pid of the process that runs guest code; undefined while unknown. */
  pid(): number | undefined;
}

export interface HostConnectionEvents {
  /** False: the message is not allowed now, so the host is compromised. */
  onMessage(message: FromHost, raw: Buffer): boolean;
  /** The process has started. */
  onStarted(child: HostProcess): void;
  /** The host broke the protocol, and was killed. */
  onViolation(): void;
  /** The process has exited, by which signal, or could not be started. Called once. */
  onGone(signal: NodeJS.Signals | undefined): void;
}

/** Bytes that the server buffers for a host that does not read: more than the results of all its host calls. */
const MAX_UNREAD_BYTES = 268_435_456;
/** Milliseconds between the end of a pipe and that of its process. */
const EXIT_MS = 250;

/** Connects to a host that is being started. What is sent before it has started is buffered. */
export function connectHost(starting: Promise<HostProcess>, events: HostConnectionEvents): HostConnection {
  let child: HostProcess | undefined;
  let early: Buffer[] = [];
  let isKilled = false;
  let isGone = false;

  const gone = (signal: NodeJS.Signals | undefined) => {
    if (isGone) return;
    isGone = true;
    isKilled = true;
    child?.socket.destroy();
    events.onGone(signal);
  };
  const kill = () => {
    isKilled = true;
    early = [];
    child?.kill();
  };
  const violated = () => {
    if (isKilled) return;
    kill();
    events.onViolation();
  };

  const reader = createFrameReader<FromHost>({
    header: parseHostMessage,
    // The handler of a message may kill the host.
    frame: (message, raw) => events.onMessage(message, raw) && !isKilled,
  });

  const attach = (started: HostProcess) => {
    child = started;
    events.onStarted(started);
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
  };
}

/** Linux counts in hundredths of a second, on every architecture that Node runs on. */
const TICK_MS = 10;
/** Where a page is larger, memory is underestimated, and a host is recycled later. */
const PAGE_BYTES = 4096;
/** Fields 14 and 15 of `/proc/<pid>/stat`, counted from behind the name, which may contain spaces. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Milliseconds of CPU that all threads of the process have used. */
export function cpuMsOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
  return Number.isFinite(ticks) ? ticks * TICK_MS : null;
}

/** Resident memory of the process, in bytes. */
export function residentBytesOf(pid: number): number | null {
  const pages = Number(read(`/proc/${pid}/statm`)?.split(' ')[1]);
  return Number.isFinite(pages) ? pages * PAGE_BYTES : null;
}
