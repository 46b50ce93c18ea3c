import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatConfigIssue } from '../../src/config/config-file.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';

async function load(content: JsonObject, env: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'cloister-config-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, 'workspace'));
  writeFileSync(join(cwd, 'workspace/config.json'), JSON.stringify(content, null, 2));
  const { config, issues, warnings } = await loadConfig({ flags: {}, env, cwd });
  return { config, issues: issues.map(formatConfigIssue), warnings: warnings.map(formatConfigIssue) };
}

describe('headers.cacheControl of the older server', () => {
  it.each<[JsonObject['x'], string, readonly string[]]>([
    [{ default: 'no-store' }, 'no-store', []],
    ['no-cache', 'no-cache', []],
    [
      { mimetypes: [{ 'text/css': 'a' }, { 'image/png': 'b', 'x/y': 'c' }] },
      'public, max-age=3600',
      ['text/css: a', 'image/png: b', 'x/y: c'],
    ],
    [
      { mimetypes: { 'application/vnd.ms-excel': 'a' } },
      'public, max-age=3600',
      ['application/vnd.ms-excel: a'],
    ],
    [{ mimetypes: [] }, 'public, max-age=3600', []],
    [{ default: 'x', mimetypes: ['text/css: a'] }, 'x', ['text/css: a']],
  ])('%j is read', async (cacheControl, whole, byType) => {
    const { config, issues, warnings } = await load({ headers: { cacheControl } });
    expect([...issues, ...warnings]).toEqual([]);
    expect(config.delivery).toMatchObject({ cacheControl: whole, cacheControlByType: byType });
  });

  it.each<[JsonObject['x']]>([
    [{ mimetypes: [{ 'text/css': 7 }] }],
    [{ mimetypes: 'x' }],
    [{ mimetypes: [{ css: 'a' }] }],
    [7],
  ])('%j is an issue with its line', async (cacheControl) => {
    const { issues } = await load({ headers: { cacheControl } });
    expect(issues).toEqual([expect.stringMatching(/^workspace\/config\.json:\d+: headers\.cacheControl/)]);
  });

  it('can be set in the environment, whose lists have commas, as a JSON list', async () => {
    const list = ['text/css: public, max-age=1', 'image/png: no-store'];
    const env = { CLOISTER_DELIVERY_CACHE_CONTROL_BY_TYPE: JSON.stringify(list) };
    const { config, issues } = await load({}, env);
    expect([config.delivery.cacheControlByType, issues]).toEqual([list, []]);
    const broken = await load({}, { CLOISTER_DELIVERY_CACHE_CONTROL_BY_TYPE: '["text/css: a"' });
    expect(broken.issues).toHaveLength(1);
  });

  it('leaves what else older servers had beside it to the warnings', async () => {
    const { issues, warnings } = await load({
      headers: { useGzipCompression: true, cacheControl: { default: 'a', paths: [] } },
    });
    expect(issues).toEqual([]);
    expect(warnings.map((line) => line.split(' ')[1])).toEqual([
      'headers.useGzipCompression',
      'headers.cacheControl.paths',
    ]);
  });
});

describe('a setting whose silent loss would be dangerous', () => {
  it.each<[JsonObject, string]>([
    [
      { server: { protocol: 'https' } },
      'workspace/config.json:3: server.protocol is not a setting: this server speaks plain HTTP',
    ],
    [
      { database: { hosts: [{ host: 'a', port: 1 }] } },
      'workspace/config.json:3: database.hosts is not a setting: without database.engine',
    ],
  ])('stops the start, with the remedy: %j', async (content, line) => {
    const { issues, warnings } = await load(content);
    expect([...issues, ...warnings]).toEqual([expect.stringContaining(line)]);
  });

  it.each<[JsonObject, Readonly<Record<string, string>>]>([
    [{ server: { protocol: 'http' } }, {}],
    [{ database: { hosts: [], engine: 'sqlite' } }, {}],
    [
      { database: { hosts: [] } },
      { CLOISTER_DATABASE_ENGINE: 'mongodb', CLOISTER_DATABASE_MONGODB_URI: 'mongodb://a/b' },
    ],
  ])('is a warning where nothing is lost: %j', async (content, env) => {
    expect((await load(content, env)).issues).toEqual([]);
  });
});
