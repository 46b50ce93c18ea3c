// The corpus is whole: every class is there, run by a test, and every file says what it is.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { attacksOf, CLASSES } from './corpus.ts';

const EXPECTED = [
  ...['after', 'bodies', 'cpu', 'egress', 'escape', 'floods', 'globals', 'headers', 'hooks', 'leaks', 'load'],
  ...[
    'memory',
    'metadata',
    'model',
    'neighbours',
    'rejections',
    'results',
    'returns',
    'routes',
    'text',
    'texts',
    'thenables',
  ],
];

it('the corpus of attacks has every class', () => {
  expect(CLASSES).toEqual(EXPECTED);
});

it('the corpus has more than two hundred attacks, each with a title of its own', async () => {
  const filed = (await Promise.all(CLASSES.map(attacksOf))).flat();
  const titles = new Set(filed.map(({ attack }) => attack.title));
  expect(filed.length).toBeGreaterThan(200);
  expect(titles.size).toBe(filed.length);
});

it('the tests beside the corpus run all of its classes', () => {
  const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const text = tests.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n');
  const run = [...text.matchAll(/runClasses\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name),
  );
  expect(run.sort()).toEqual(EXPECTED);
});

it('the corpus has at least twelve memory bombs and ten CPU bombs', async () => {
  expect((await attacksOf('memory')).length).toBeGreaterThanOrEqual(12);
  expect((await attacksOf('cpu')).length).toBeGreaterThanOrEqual(10);
});
