// Tables of limits, as Markdown.

export interface Limit {
  /** What is limited, and the names of its settings. */
  readonly limit: string;
  readonly default: string;
  /** What happens to what exceeds it. */
  readonly past: string;
  /** Files of `test/`, without `.test.ts`. */
  readonly tests: readonly string[];
}

export interface PolicyLimit extends Limit {
  /** As packaged: what a policy may say at most. */
  readonly max: string;
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(header), `|${header.map(() => '---').join('|')}|`, ...rows.map(row)].join('\n');
}

const testCell = (tests: readonly string[]) => tests.map((test) => `\`test/${test}.test.ts\``).join(', ');

export function limitTable(limits: readonly Limit[]): string {
  const rows = limits.map((limit) => [limit.limit, limit.default, limit.past, testCell(limit.tests)]);
  return table(['Limit', 'Default', 'Past it', 'Test'], rows);
}

export function policyLimitTable(limits: readonly PolicyLimit[]): string {
  const rows = limits.map((limit) => [
    ...[limit.limit, limit.default, limit.max],
    ...[limit.past, testCell(limit.tests)],
  ]);
  return table(['Limit', 'Default', 'Packaged policy limit', 'Past it', 'Test'], rows);
}
