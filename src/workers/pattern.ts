// Worker task: do texts match their patterns? The platform's own engine decides, which may take for ever: hence the limits.
import { createContext, Script } from 'node:vm';

export interface PatternJob {
  readonly pattern: string;
  /** Some of i, m, s. */
  readonly flags: string;
  /** All of them have to match. */
  readonly texts: readonly string[];
}

export interface PatternTask {
  readonly jobs: readonly PatternJob[];
  /** For all texts of one job together; over it the job counts as no match. */
  readonly limitMs: number;
  /** After this long no further job is begun. */
  readonly totalMs: number;
}

// Code points, as in the linear engine, where the pattern permits it.
function compile(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

function isTimeout(error: unknown): boolean {
  // The error comes from the context, so it is no instance of our Error.
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

/**
 * The verdicts of the first jobs, at least one of them: the caller sends the others again.
 * One clock runs for as many jobs as fit into its time, since starting it costs more than most of them; a job that it
 * catches under way is begun anew with a clock of its own.
 */
export function matchPatterns({ jobs, limitMs, totalMs }: PatternTask): readonly boolean[] {
  const verdicts: boolean[] = [];
  const end = performance.now() + totalMs;
  const matchNext = () => {
    const begun = performance.now();
    for (const { pattern, flags, texts } of jobs.slice(verdicts.length)) {
      const regex = compile(pattern, flags);
      verdicts.push(texts.every((text) => regex.test(text)));
      if (performance.now() - begun > limitMs / 2) return;
    }
  };
  const context = createContext({ matchNext });
  const script = new Script('matchNext()');
  do {
    const before = verdicts.length;
    try {
      script.runInContext(context, { timeout: limitMs });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (verdicts.length === before) verdicts.push(false);
    }
  } while (verdicts.length < jobs.length && performance.now() < end);
  return verdicts;
}
