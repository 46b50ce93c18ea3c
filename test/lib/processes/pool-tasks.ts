// What the threads of the test run.
import { execFileSync } from 'node:child_process';
import { workerData } from 'node:worker_threads';
import { MovedResult } from '../../../src/lib/processes/thread-messages.ts';

let calls = 0;

export function count(n: number) {
  calls += 1;
  return { n, calls };
}

export function fail(message: string): never {
  throw new Error(message);
}

export function failBySystem(): never {
  throw Object.assign(new Error('open EMFILE'), { code: 'EMFILE' });
}

/** Returns once two threads are here. */
export function meet(shared: Int32Array<SharedArrayBuffer>): string {
  Atomics.add(shared, 0, 1);
  Atomics.notify(shared, 0);
  while (Atomics.load(shared, 0) < 2) Atomics.wait(shared, 0, 1);
  return workerData.word;
}

export function wait(shared: Int32Array<SharedArrayBuffer>): string {
  Atomics.wait(shared, 0, 0);
  return 'waited';
}

export function loop(shared: Int32Array<SharedArrayBuffer>): never {
  Atomics.store(shared, 0, 1);
  for (;;);
}

export function bytes(length: number): MovedResult {
  const made = new Uint8Array(length).fill(7);
  return new MovedResult(made, [made.buffer]);
}

export function exit(): never {
  process.exit(3);
}

/**
 * Waits for a program, in native code that nothing ends before somebody writes to the pipe. The program makes the file `begun`: from
 * then on this thread is in that code.
 */
export function block({ begun, pipe }: { readonly begun: string; readonly pipe: string }): void {
  execFileSync('sh', ['-c', ': > "$1"; read line < "$2"', 'sh', begun, pipe]);
}
