// Worker task: does every text match a pattern? The platform's own engine decides, which may take for ever: hence the limit.
import { createContext, Script } from 'node:vm';

export interface PatternTask {
  readonly pattern: string;
  /** Some of i, m, s. */
  readonly flags: string;
  readonly texts: readonly string[];
  /** For all texts together. */
  readonly limitMs: number;
}

// Code points, as in the linear engine, where the pattern permits it.
function compile(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

/** False as well when time is over. */
export function matchPattern({ pattern, flags, texts, limitMs }: PatternTask): boolean {
  const regex = compile(pattern, flags);
  const context = createContext({ matchAll: () => texts.every((text) => regex.test(text)) });
  try {
    return new Script('matchAll()').runInContext(context, { timeout: limitMs }) === true;
  } catch (error) {
    // The error comes from the context, so it is no instance of our Error.
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
