// Settings and variables that the pages name exist: a setting that was renamed leaves no page behind.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '../../src/config/setting-names.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

/** One page names settings of other servers, one is made of the settings themselves. */
const LEFT_OUT = ['docs/migration.md', 'docs/configuration.md'];
const PAGES = globSync(
  ['README.md', 'SECURITY.md', 'docs/*.md', 'docs/reference/*.md', 'docs/internals/*.md'],
  {
    cwd: ROOT,
  },
)
  .filter((page) => !LEFT_OUT.includes(page))
  .toSorted();

const NAMES = SETTINGS.map(({ path }) => path);
const ROOTS = new Set(NAMES.filter((name) => name.includes('.')).map((name) => name.split('.')[0]));
const VARIABLES = new Set(SETTINGS.flatMap(({ env }) => env));
/** What looks like a setting or a variable: a member of `/api/status`, and the code of a warning of the process. */
const OTHERS = new Set(['sandbox.level', 'CLOISTER_LOST_THREAD']);
/** Secrets of posted code have names that the operator chooses. */
const SECRET = /^(?:sandbox\.secrets|CLOISTER_SANDBOX_SECRETS)\b|^CLOISTER_SANDBOX_SECRETS_/;

/** A setting, a block of settings, or a member of one that is an object. */
const isSetting = (name: string) =>
  NAMES.some((known) => known === name || known.startsWith(`${name}.`) || name.startsWith(`${known}.`));

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

test.each(PAGES)('every setting that %s names exists', (page) => {
  const named = [...read(page).matchAll(/`([a-z]\w*(?:\.\w+)+)`/g)].map(([, name = '']) => name);
  const settings = named.filter(
    (name) => ROOTS.has(name.split('.')[0] ?? '') && !/\.(?:ts|js|json|md|key|lock)$/.test(name),
  );
  expect(settings.filter((name) => !isSetting(name) && !OTHERS.has(name) && !SECRET.test(name))).toEqual([]);
});

test.each(PAGES)('every variable of Cloister that %s names exists', (page) => {
  const named = [...read(page).matchAll(/\bCLOISTER_[A-Z0-9_]*[A-Z0-9]\b(?!_)/g)].map(([name]) => name);
  expect(named.filter((name) => !VARIABLES.has(name) && !OTHERS.has(name) && !SECRET.test(name))).toEqual([]);
});
