// The last lines of a CI run name whatever failed: a test, a file that cannot be loaded, a hook, an error that nobody caught.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from './helpers/fixtures/source-tree.ts';
import { temporaryFolder } from './helpers/temp/folders.ts';

const REPORTER = join(ROOT, 'scripts/ci-summary/run-report.ts');
const SUMMARY = join(ROOT, 'scripts/ci-summary.ts');

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

const env = (more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env['PATH'] ?? '',
  CI: 'true',
  FORCE_COLOR: '1',
  ...more,
});

/** Runs Vitest over files of the folder, as `.ci/run` does. */
function runTests(name: string, files: Readonly<Record<string, string>>) {
  const root = join(folder, `files of ${name}`);
  mkdirSync(root);
  const config = { test: { globals: true, projects: [{ test: { name: 'some', globals: true } }] } };
  writeFileSync(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  const args = ['--root', root, '--reporter=default', `--reporter=${REPORTER}`];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...args],
    { cwd: root, encoding: 'utf8', env: env({ TEST_REPORT: join(folder, `${name}.json`) }) },
  );
  writeFileSync(join(folder, `${name}.log`), `${stdout}${stderr}`);
}

function summaryOf(...names: readonly string[]) {
  const paths = names.map((name) => join(folder, name));
  const { status, stdout, stderr } = spawnSync(process.execPath, [SUMMARY, ...paths], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return { status, stdout };
}

describe('The summary of a CI run', () => {
  it('names what failed, wherever it failed, with its first and last lines, and ends with the counts', () => {
    runTests('1', {
      'good.test.js': `it('passes', () => {}); it.skip('is left out', () => {});`,
      'bad.test.js': `describe('Books', () => { it('are equal', () => expect({ a: [1] }).toEqual({ a: [2] })); });`,
      'hook.test.js': `describe('Shelves', () => { beforeAll(() => { throw new Error('no shelf'); }); it('never runs', () => {}); });`,
      'broken.test.js': `import './nowhere.js'; it('never runs', () => {});`,
      'stray.test.js': `it('leaves a promise', () => { Promise.reject(new Error('nobody caught me')); });`,
    });
    runTests('2', {
      'long.test.js': `it('says much', () => { throw new Error('line\\n'.repeat(500) + 'the last'); });`,
    });
    const { status, stdout } = summaryOf('1', '2');
    expect(status).toBe(1);
    const parts = stdout.trimEnd().split('\n\n');
    const part = (name: string) => parts.find((one) => one.trimStart().startsWith(`failed: ${name}`));
    expect(part('some > bad.test.js > Books > are equal')).toMatch(
      /AssertionError: expected .* to deeply equal.*-\s+2,.*\+\s+1,.*at bad\.test\.js:1/s,
    );
    expect(part('some > hook.test.js > Shelves > (beforeAll or afterAll)')).toContain('Error: no shelf');
    expect(part('some > broken.test.js > (the file itself)')).toContain('nowhere.js');
    expect(part('(an error that nobody caught)')).toContain('Error: nobody caught me');
    const long = part('some > long.test.js > says much');
    expect(long?.match(/^ +line$/gm)?.length).toBeLessThan(50);
    expect(long).toMatch(/…[^…]*the last/);
    expect(parts.at(-1)).toMatch(/^2 passed, 5 failed, \d skipped$/);
    expect(stdout).not.toContain('\u001b');
  });

  it('names folders whose coverage is too low, which no report holds', () => {
    const tooLow = 'ERROR: Coverage for branches (70%) does not meet "src/x/*.ts" threshold (90%)';
    writeFileSync(join(folder, '1.json'), JSON.stringify({ passed: 3, skipped: 0, failures: [] }));
    writeFileSync(join(folder, '1.log'), `all is well\n\u001b[31m${tooLow}\u001b[39m\n`);
    expect(summaryOf('1')).toEqual({
      status: 1,
      stdout: `\nfailed: ${tooLow}\n\n3 passed, 1 failed, 0 skipped\n`,
    });
  });

  it('tells the last words of a run that ended before it could report', () => {
    writeFileSync(join(folder, '1.json'), JSON.stringify({ passed: 3, skipped: 1, failures: [] }));
    writeFileSync(join(folder, '2.log'), 'begun\nFATAL ERROR: heap out of memory\n');
    const { status, stdout } = summaryOf('1', '2');
    expect(status).toBe(1);
    expect(stdout).toContain(
      'failed: run 2 of the tests ended before its report\n    begun\n    FATAL ERROR',
    );
    expect(stdout.trimEnd()).toMatch(/\n3 passed, 1 failed, 1 skipped$/);
  });

  it('is one line when everything passed', () => {
    writeFileSync(join(folder, '1.json'), JSON.stringify({ passed: 3, skipped: 1, failures: [] }));
    expect(summaryOf('1')).toEqual({ status: 0, stdout: '\n3 passed, 0 failed, 1 skipped\n' });
  });
});
