// A log that keeps its lines, for tests.
import type { MongoOptions } from '../../../src/stores/mongo-documents/connection/types.ts';

interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

type Written = [facts: string | Readonly<Record<string, unknown>>, message?: string];

/** A log and the lines that were written to it. */
export function createLogLines(): { readonly log: MongoOptions['log']; readonly lines: Line[] } {
  const lines: Line[] = [];
  const writer =
    (level: Line['level']) =>
    (...[facts, message]: Written) => {
      lines.push(
        typeof facts === 'string'
          ? { level, message: facts, facts: {} }
          : { level, message: message ?? '', facts },
      );
    };
  const log = { info: writer('info'), warn: writer('warn'), error: writer('error') };
  return { log: log as unknown as MongoOptions['log'], lines };
}
