// The process as a transfer command sees it, under test: what goes through its streams is kept.
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { ProcessStreams } from '../../src/cli/transfer.ts';

export interface TestHost extends ProcessStreams {
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
export function createTestHost(input = '', { terminal = false } = {}): TestHost {
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
