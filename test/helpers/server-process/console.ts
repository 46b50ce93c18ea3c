// The console and the streams of a command under test: what it prints is kept.

import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../../src/cli/io.ts';
import type { ProcessStreams } from '../../../src/cli/transfer.ts';
import type { Environment } from '../../../src/config/environment.ts';

export interface CapturedIo extends Io {
  readonly printed: readonly string[];
  readonly complained: readonly string[];
}

/** Runs in `cwd` with this environment and no other. */
export function captureIo(cwd: string, env: Environment = {}): CapturedIo {
  const printed: string[] = [];
  const complained: string[] = [];
  return {
    cwd,
    env,
    printed,
    complained,
    out: (line) => void printed.push(line),
    err: (line) => void complained.push(line),
  };
}

export interface TestStreams extends ProcessStreams {
  /** Asks the command to end. */
  emit(signal: 'SIGINT' | 'SIGTERM'): boolean;
  readonly exits: readonly number[];
  /** What went to the standard output, and to the terminal. */
  output(): string;
  drawn(): string;
}

class Sink extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** `input` is what the standard input gives. */
export function createTestStreams(input = '', { terminal = false } = {}): TestStreams {
  const signals = new EventEmitter();
  const stdout = new Sink(false);
  const stderr = new Sink(terminal);
  const exits: number[] = [];
  return {
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    on: (signal, listener) => signals.on(signal, listener),
    exit: (code) => void exits.push(code),
    emit: (signal) => signals.emit(signal),
    exits,
    output: () => stdout.text,
    drawn: () => stderr.text,
  };
}
