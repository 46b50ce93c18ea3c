// The examples of the pages for those who run the server are taken by what they are for: permissions of clients, policy limits.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadPolicyLimits } from '../../src/modules/policy/policy-limits.ts';
import { startApp } from '../helpers/app/app.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const jsonOf = (page: string): readonly string[] => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => block);
};

test('the permissions that docs/clients.md shows are taken, and stay as they are', async () => {
  const [permissions] = jsonOf('docs/clients.md').map((text) => JSON.parse(text));
  const app = await startApp();
  try {
    const body = { clientId: 'app', secret: 'correct horse', permissions };
    const { status, text } = await app.inject('POST', '/api/clients', { body });
    expect(status, text).toBe(201);
    const { body: shown } = await app.inject('GET', '/api/clients/app');
    expect(shown.results[0].permissions).toEqual(permissions);
  } finally {
    await app.close();
  }
});

test('the policy limits that docs/posted-code.md shows are read, and grant what the page says', async () => {
  const [text = ''] = jsonOf('docs/posted-code.md');
  const folder = mkdtempSync(join(tmpdir(), 'cloister-policy-limits-'));
  try {
    const file = join(folder, 'limits.json');
    writeFileSync(file, text);
    const { limits, grants, egress } = await loadPolicyLimits(
      new URL('../../sandbox/', import.meta.url),
      file,
    );
    expect(limits).toMatchObject({ wallMs: 10_000, perMinute: 600 });
    expect(grants.fetch.map(({ origin }) => origin)).toEqual([
      'https://api.example.com',
      'http://10.0.0.5:9200',
    ]);
    expect(egress.allow).toEqual(['10.0.0.5:9200']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
