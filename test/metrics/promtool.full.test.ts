// What Prometheus itself says of the alert rules and of a scrape.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startApp } from '../helpers/app/app.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const PROMTOOL = join(ROOT, '.servers', 'promtool');
const ALERTS = join(ROOT, 'deploy', 'metrics', 'alerts.yml');

/** Absent on a developer's machine: said aloud and skipped. Absent where everything must run: a failure. */
function isAbsent(): boolean {
  if (existsSync(PROMTOOL) || process.env['CI'] === 'true') return false;
  console.warn('\n*** promtool is not installed, its tests are skipped: npm run test:servers ***\n');
  return true;
}

function promtool(args: readonly string[], input = '') {
  const { status, stdout, stderr, error } = spawnSync(PROMTOOL, args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}${error ?? ''}` };
}

const isSkipped = isAbsent();

it.skipIf(isSkipped)('the alert rules are valid', () => {
  const { status, output } = promtool(['check', 'rules', ALERTS]);
  expect([status, output]).toEqual([0, expect.stringMatching(/SUCCESS: \d+ rules found/)]);
});

it.skipIf(isSkipped)('the alert rules fire when they should', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-alerts-'));
  try {
    const cases = readFileSync(join(import.meta.dirname, 'alerts.test.yml'), 'utf8');
    writeFileSync(join(folder, 'cases.yml'), cases.replace('ALERTS', ALERTS));
    const { status, output } = promtool(['test', 'rules', join(folder, 'cases.yml')]);
    expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.skipIf(isSkipped)('a scrape parses, and nothing of our own is named against the conventions', async () => {
  const app = await startApp();
  try {
    const { text } = await app.inject('GET', '/metrics');
    const { output } = promtool(['check', 'metrics'], text);
    // It finds fault with names of the package for those of the process.
    const issues = output.split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_'));
    expect(issues).toEqual([]);
    expect(promtool(['check', 'metrics'], 'a{ 1').status).not.toBe(0);
  } finally {
    await app.close();
  }
});
