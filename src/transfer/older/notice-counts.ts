// Lines for the operator about many documents: one line for all that it is true of, with their number.

export interface NoticeCounts {
  /** Counts one more document that a line is true of. */
  add(line: string): void;
  /** The lines, in the order in which they were first added. */
  lines(): readonly string[];
}

/** A document may have any number of names. */
const MAX_LINES = 200;

export function createNoticeCounts(): NoticeCounts {
  const counts = new Map<string, number>();
  return {
    add(line) {
      const count = counts.get(line);
      if (count !== undefined || counts.size < MAX_LINES) counts.set(line, (count ?? 0) + 1);
    },
    lines: () =>
      [...counts].map(
        ([line, count]) =>
          `${line} (${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'})`,
      ),
  };
}
