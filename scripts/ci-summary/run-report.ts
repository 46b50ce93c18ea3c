// A reporter of Vitest: writes what failed in a run, and why, to the file that TEST_REPORT names, for `.ci/run`.
// The JSON report of Vitest does not hold failures outside of tests: of `beforeAll` in a `describe`, and errors that nobody caught.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

/** Of each message and of each difference: enough to see what failed, and short enough for the end of a log. */
const MAX_FIRST_LINES = 12;
/** Long messages end with what is needed most: the last tries of a browser, and what the page showed. */
const MAX_LAST_LINES = 36;
const MAX_LINE_LENGTH = 300;

export interface Failure {
  /** Project, file, `describe` and title. */
  readonly name: string;
  /** First and last lines of the message and of the difference, and where it was thrown. */
  readonly lines: readonly string[];
}

export interface RunReport {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
}

function shortened(text: string): readonly string[] {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.slice(0, MAX_LINE_LENGTH));
  if (lines.length <= MAX_FIRST_LINES + MAX_LAST_LINES) return lines;
  return [...lines.slice(0, MAX_FIRST_LINES), '…', ...lines.slice(-MAX_LAST_LINES)];
}

function linesOf(error: SerializedError): readonly string[] {
  const { name, message, stacks, cause } = error;
  const difference = error['diff'];
  const [at] = stacks ?? [];
  return [
    ...shortened(`${name ?? 'Error'}: ${message}`),
    ...(typeof difference === 'string' ? shortened(difference) : []),
    ...(cause === undefined || message.includes(cause.message) ? [] : shortened(`cause: ${cause.message}`)),
    ...(at === undefined ? [] : [`at ${relative(process.cwd(), at.file)}:${at.line}`]),
  ];
}

const nameOf = (module: TestModule, ...titles: readonly string[]) =>
  [module.project.name, module.relativeModuleId, ...titles].filter((part) => part !== '').join(' > ');

function* failuresOf(module: TestModule): Generator<Failure> {
  const failure = (errors: readonly SerializedError[], ...titles: readonly string[]): Failure => ({
    name: nameOf(module, ...titles),
    lines: errors.flatMap(linesOf),
  });
  if (module.errors().length > 0) yield failure(module.errors(), '(the file itself)');
  for (const suite of module.children.allSuites() as Iterable<TestSuite>) {
    if (suite.errors().length > 0) yield failure(suite.errors(), suite.fullName, '(beforeAll or afterAll)');
  }
  for (const test of module.children.allTests('failed') as Iterable<TestCase>) {
    yield failure(test.result().errors ?? [], test.fullName);
  }
}

const count = (modules: readonly TestModule[], state: 'passed' | 'skipped') =>
  modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);

// biome-ignore lint/style/noDefaultExport: Vitest reads the default export
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const file = process.env['TEST_REPORT'];
    if (file === undefined) throw new Error('TEST_REPORT must name the file to write');
    const report: RunReport = {
      passed: count(modules, 'passed'),
      skipped: count(modules, 'skipped'),
      failures: [
        ...modules.flatMap((module) => [...failuresOf(module)]),
        ...unhandled.map((error) => ({ name: '(an error that nobody caught)', lines: linesOf(error) })),
      ],
    };
    writeFileSync(file, JSON.stringify(report));
  }
}
