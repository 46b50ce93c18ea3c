// Runs Schemathesis on a server, with an API description, and resolves with what it found.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { ROOT } from '../../../helpers/fixtures/source-tree.ts';

const SCHEMATHESIS = join(ROOT, '.servers', 'schemathesis');

/** Absent on a developer's machine: said aloud. Absent where everything must run: a failure. */
export function isSchemathesisInstalled(): boolean {
  if (existsSync(SCHEMATHESIS)) return true;
  const missing = '.servers/schemathesis is not installed: npm run test:servers';
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.warn(`\n*** ${missing}; its tests are skipped ***\n`);
  return false;
}

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
];

interface Run {
  readonly url: string;
  readonly token: string | null;
  readonly description: JsonObject;
  /** Ids of operations. */
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  readonly phases?: string;
}

interface Found {
  /** `<check> <operation>`. */
  readonly failures: readonly string[];
  readonly errors: readonly unknown[];
  /** Operations that were called. */
  readonly tested: number;
  readonly requests: number;
  /** Everything it printed. */
  readonly output: string;
}

interface Report {
  readonly failures: readonly { readonly type: string; readonly operations: readonly string[] }[];
  readonly errors: readonly unknown[];
  readonly operations: { readonly tested: number };
  readonly test_cases: { readonly generated: number };
}

const option = (name: string, values: readonly string[] = []) => values.flatMap((value) => [name, value]);

/** The seed is fixed: the same description gives the same requests. */
export async function runSchemathesis(run: Run): Promise<Found> {
  const { url, token, description, phases = 'examples,coverage,fuzzing' } = run;
  const folder = mkdtempSync(join(tmpdir(), 'cloister-schemathesis-'));
  try {
    const [schema, report] = [join(folder, 'openapi.json'), join(folder, 'report.json')];
    writeFileSync(schema, JSON.stringify(description));
    const args = [
      ...['-m', 'schemathesis.cli', 'run', schema, '--url', url, '--phases', phases],
      ...['--checks', CHECKS.join(','), '--continue-on-failure', '--no-shrink', '--no-color'],
      // One thread: Python 3.11 parses wrongly in two (python/cpython#106905).
      ...['--seed', '1', '--max-examples', '4', '--workers', '1', '--request-timeout', '60'],
      ...['--generation-database', 'none', '--suppress-health-check', 'all', '--warnings', 'off'],
      ...['--report', 'json', '--report-json-path', report],
      ...option('--header', token === null ? [] : [`Authorization: Bearer ${token}`]),
      ...option('--include-operation-id', run.only),
      ...option('--exclude-operation-id', run.without),
    ];
    const output = await outputOf(args, folder);
    if (!existsSync(report)) throw new Error(output);
    const { failures, errors, operations, test_cases } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    return {
      failures: failures.flatMap(({ type, operations }) => operations.map((at) => `${type} ${at}`)),
      errors,
      tested: operations.tested,
      requests: test_cases.generated,
      output,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outputOf(args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, PYTHONPATH: SCHEMATHESIS, PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn('python3', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const read = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}
