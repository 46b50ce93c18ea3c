// The end of `.ci/run`: what failed in the runs of tests, by name, so that the last lines of a log tell it; then how much passed.
// Arguments: for each run the path without ending of its report (`.json`) and of what it printed (`.log`).
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Failure, RunReport } from './ci-summary/run-report.ts';

const COVERAGE_TOO_LOW = /^ERROR: Coverage .*$/gm;

/** Coverage is judged after the reporters have been told of the end: only what was printed tells of it. */
function coverageFailures(log: string): readonly Failure[] {
  const found = stripVTControlCharacters(log).match(COVERAGE_TOO_LOW) ?? [];
  return found.map((line) => ({ name: line, lines: [] }));
}

function readRun(path: string): RunReport {
  const log = existsSync(`${path}.log`) ? readFileSync(`${path}.log`, 'utf8') : '';
  if (!existsSync(`${path}.json`)) {
    const lines = stripVTControlCharacters(log).trimEnd().split('\n').slice(-8);
    const name = `run ${basename(path)} of the tests ended before its report`;
    return { passed: 0, skipped: 0, failures: [{ name, lines }] };
  }
  const report = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as RunReport;
  return { ...report, failures: [...report.failures, ...coverageFailures(log)] };
}

const runs = process.argv.slice(2).map(readRun);
const failures = runs.flatMap((run) => run.failures);
const sum = (key: 'passed' | 'skipped') => runs.reduce((all, run) => all + run[key], 0);

for (const { name, lines } of failures) {
  console.log(`\nfailed: ${name}`);
  for (const line of lines) console.log(`    ${line}`);
}
console.log(`\n${sum('passed')} passed, ${failures.length} failed, ${sum('skipped')} skipped`);
if (failures.length > 0) process.exitCode = 1;
