// The page of limits and the guide tell the defaults of posted code that hold.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/lib/files/package-files.ts';
import { createPolicyParser } from '../../src/modules/policy/policy.ts';
import { loadPolicyLimits } from '../../src/modules/policy/policy-limits.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, KB: 1024, MB: 1024 * 1024 };

const ceilings = await loadPolicyLimits(new URL('sandbox/', packageRoot()));
const { empty: none } = createPolicyParser({
  policyLimits: ceilings,
  jsonBytes: 1,
});
const { heapMb, ...others } = none.resolve('endpoint:1.0/x', false).limits;
const held: Readonly<Record<string, number>> = { ...others, heapMb: heapMb * 1024 * 1024 };

/** What a page says of a limit: the first number of the second cell of its row, with its unit; 0 for none. */
function shown(page: string, limit: string): number {
  const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${limit}\``));
  const cell = row?.split('|')[2] ?? '';
  const [, digits = '0', unit = ''] = /(\d[\d,]*)(?: (ms|s|KB|MB)\b)?/.exec(cell) ?? [];
  return Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1);
}

it.each(['docs/reference/limits.md', 'docs/endpoints.md'])('%s', (path) => {
  const page = readFileSync(join(ROOT, path), 'utf8');
  const told = Object.fromEntries(Object.keys(held).map((name) => [name, shown(page, name)]));
  expect(told).toEqual(held);
});
