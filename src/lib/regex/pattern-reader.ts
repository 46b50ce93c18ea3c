// A place in a pattern that moves forward, and the way to give up there.

export type PatternErrorReason = 'syntax' | 'unsupported' | 'too-large';

/** Why a pattern cannot be translated. The message may be shown to the client. */
export class PatternError extends Error {
  readonly reason: PatternErrorReason;

  constructor(reason: PatternErrorReason, message: string) {
    super(message);
    this.name = 'PatternProblem';
    this.reason = reason;
  }
}

/** The problem to throw. */
export function patternError(reason: PatternErrorReason, message: string): PatternError {
  return new PatternError(reason, message);
}

export interface PatternReader {
  done(): boolean;
  /** The character here, whole if it is a surrogate pair; empty at the end. */
  peek(): string;
  /** Moves on by UTF-16 units. */
  skip(units: number): void;
  /** Moves past `text` if it stands here. */
  take(text: string): boolean;
  /** Moves past what `expression`, which starts with `^`, matches here. */
  match(expression: RegExp): RegExpExecArray | undefined;
}

/** Reads `pattern` from its start. */
export function createPatternReader(pattern: string): PatternReader {
  let at = 0;
  return {
    done: () => at >= pattern.length,
    peek: () => {
      const codePoint = pattern.codePointAt(at);
      return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
    },
    skip: (units) => {
      at += units;
    },
    take: (text) => {
      if (!pattern.startsWith(text, at)) return false;
      at += text.length;
      return true;
    },
    match: (expression) => {
      const found = expression.exec(pattern.slice(at)) ?? undefined;
      at += found?.[0].length ?? 0;
      return found;
    },
  };
}
