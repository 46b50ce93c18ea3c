// The console of a command under test: what it prints is kept.
import type { Io } from '../../src/cli/io.ts';
import type { Environment } from '../../src/config/environment.ts';

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
