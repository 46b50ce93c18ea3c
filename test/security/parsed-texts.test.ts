// Everything of posted code that is parsed on the main thread is in the table of decision 0025, with its bound.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from '../helpers/fixtures/source-tree.ts';

/** The parser of the platform, and the function that says where a text is wrong, which parses it whole too. */
const PARSES = /\b(?:JSON\.parse|parseJsonText)\(/;
const RECORD = new URL('../../docs/decisions/0025-bounds-before-parsing.md', import.meta.url);

test('every file about posted code that parses JSON is listed with its bound', () => {
  const listed = [...readFileSync(RECORD, 'utf8').matchAll(/^\| `(\S+)` \|/gm)].map(([, path]) => path);
  const about = ['src/capabilities', 'src/endpoints', 'src/hooks', 'src/modules', 'src/sandbox-supervisor']
    .flatMap(sourceFiles)
    .map(({ path }) => path);
  const parsing = [...about, 'src/lib/json/json-scan.ts'].filter((path) =>
    PARSES.test(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')),
  );
  expect(parsing.sort()).toEqual(listed.sort());
});
