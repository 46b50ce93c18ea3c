// The one way in which this server starts a process. Node reports a failed start in three ways: it throws, it emits `error` later,
// or it emits `error` and leaves out the pipes (no descriptors). An `error` that nobody hears ends the server.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StartError } from '../../errors/start-error.ts';

type Start = () => ChildProcess;

function closePipes(child: ChildProcess): void {
  // The types do not say it: without descriptors there are none.
  const pipes = (child.stdio ?? []) as readonly (Readable | Writable | null | undefined)[];
  for (const pipe of pipes) {
    pipe?.on('error', () => undefined);
    pipe?.destroy();
  }
}

/** Resolves with the process that `start` gives once it runs. Rejects with a StartError; nothing of it is open then. */
export async function untilStarted(start: Start, program = 'a process'): Promise<ChildProcess> {
  let child: ChildProcess;
  try {
    child = start();
  } catch (error) {
    throw new StartError(program, error);
  }
  // Stays for good: an error of a process that runs, such as a signal that could not be sent, is followed by its exit.
  child.on('error', () => undefined);
  try {
    // Emitted after this function has returned, whatever happens.
    await once(child, 'spawn');
    return child;
  } catch (error) {
    closePipes(child);
    throw new StartError(program, error);
  }
}

/**
 * Starts a program. Resolves once it runs, before it can have exited or written anything. Rejects with a StartError when it
 * cannot be started: the program is missing, or the system has no descriptors, processes or memory left.
 */
export function startChild(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  return untilStarted(() => spawn(program, args, options), program);
}
