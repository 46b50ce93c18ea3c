// One command of the console in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './source-tree.ts';

export interface CommandProcess {
  readonly child: ChildProcess;
  /** Resolves when the process has ended. `code` is null when a signal ended it. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
}

interface SpawnOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `cloister` with these arguments; nobody writes to its standard input. */
export function spawnCommand(args: readonly string[], { cwd, env }: SpawnOptions): CommandProcess {
  const child = spawn(process.execPath, [join(ROOT, 'src/cloister.js'), ...args], {
    cwd,
    env: { PATH: process.env['PATH'], NODE_V8_COVERAGE: process.env['NODE_V8_COVERAGE'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; said: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, said }));
  });
  return { child, ended };
}
