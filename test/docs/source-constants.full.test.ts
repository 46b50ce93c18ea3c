// Constants that the reference pages show are read out of the source as it is written.
import { expect, it } from 'vitest';
import { constantIn } from '../../scripts/docs/source-constants.ts';

const SOURCE = `const KB = 1024;
export const MAX_BYTES = 2 * KB * 8;
const MAX_LENGTH: number = 16_384;
const QUOTAS: Quotas = {
  /** Not 5, of one. */
  request: 64 * KB,
  server: 9,
};
const LIMITS = { bytes: 1_000, idleMs: 5000 };
  const MAX_INDENTED = 7;
const NAME = 'x';
const SUM = KB + 1;
const SET = new Set([1]);
`;

it.each([
  ['KB', 1024],
  ['MAX_BYTES', 16_384],
  ['MAX_LENGTH', 16_384],
  ['QUOTAS.request', 65_536],
  ['QUOTAS.server', 9],
  ['LIMITS.bytes', 1000],
  ['LIMITS.idleMs', 5000],
  ['MAX_INDENTED', 7],
])('%s is %d', (name, value) => {
  expect(constantIn(SOURCE, name)).toBe(value);
});

it.each([
  ['GONE', 'declares no GONE'],
  ['QUOTAS.gone', 'declares no QUOTAS.gone'],
  ['NAME', 'NAME is no number'],
  ['SUM', 'SUM is no number'],
  ['SET', 'SET is no number'],
])('%s is refused', (name, message) => {
  expect(() => constantIn(SOURCE, name)).toThrow(message);
});
