// The way to one host: its process and the frames on its pipe.
import type { FromHost, ToHost } from '../../sandbox/protocol.ts';
import type { HostProcess } from './isolation/launcher.ts';
import { exitSignal } from './isolation/process-group.ts';
import { createFrameReader, encodeFrame } from './protocol/frames.ts';
import { parseHostMessage } from './protocol/parse-frame.ts';

/** The way to a host. */
export interface HostConnection {
  /** `rawBytes`: bytes of all texts in UTF-8. */
  send(message: ToHost, texts: readonly string[], rawBytes: number): void;
  /** SIGKILL. Nothing that it sends is heard any more. */
  kill(): void;
  /** Of the process that runs guest code. */
  pid(): number | undefined;
}

export interface HostConnectionEvents {
  /** False: the message has no place here, so the host is no longer what it was. */
  onMessage(message: FromHost, raw: Buffer): boolean;
  /** Its process was started. */
  onStarted(child: HostProcess): void;
  /** It broke the protocol, and was killed for it. */
  onViolation(): void;
  /** Its process is gone, by which signal, or never came to be. Comes once. */
  onGone(signal: NodeJS.Signals | undefined): void;
}

/** What the server may hold for a host that does not read: the answers of all its host calls, hardly ever. */
const MAX_UNREAD_BYTES = 268_435_456;
/** Milliseconds between the end of a pipe and that of its process. */
const EXIT_MS = 250;

/** Takes a host over from the moment it is asked for; what is sent before it has started waits. */
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
    // A message may be the last one that is heard.
    frame: (message, raw) => events.onMessage(message, raw) && !isKilled,
  });

  const attach = (started: HostProcess) => {
    child = started;
    events.onStarted(started);
    const { process, socket } = started;
    process.on('error', () => {
      // No process came to be, or it cannot be signalled: then its exit follows.
      if (process.pid === undefined) gone(undefined);
    });
    process.on('exit', (code, name) => {
      // What it wrote last may still lie in the pipe.
      const end = () => gone(exitSignal(code, name));
      if (isKilled || socket.closed) end();
      else socket.on('close', end);
    });
    socket.on('error', () => undefined);
    // Its exit, with the cause of it, should follow at once. A host that closes its pipe and lives on is none any more.
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
