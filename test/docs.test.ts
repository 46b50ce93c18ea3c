// The generated pages say what the source says.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../scripts/docs/generated-files.ts';
import { buildConfig } from '../src/config/build-config.ts';
import { SETTINGS } from '../src/config/setting-names.ts';
import { ERRORS } from '../src/errors/error-catalogue.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

const GENERATED = [...(await generatedFiles())];

describe('generated documentation', () => {
  it.each(GENERATED)('%s is up to date (npm run docs)', (path, text) => {
    expect(read(path)).toBe(text);
  });

  it('names every setting and each of its variables', () => {
    const page = read('docs/configuration.md');
    for (const { path, env } of SETTINGS) {
      for (const name of [path, ...env]) expect(page).toContain(`\`${name}\``);
    }
  });

  it('names every error code and no other', () => {
    const codes = [...read('docs/errors.md').matchAll(/^\| \d{3} \| `([A-Z_]+)`/gm)].map(([, code]) => code);
    expect(codes.sort()).toEqual(Object.keys(ERRORS).sort());
  });
});

const GUIDES = [
  'docs/internals/architecture.md',
  'docs/internals/mongodb.md',
  'docs/internals/glossary.md',
  'CONTRIBUTING.md',
];

it.each(GUIDES)('every path that %s names exists', (page) => {
  const named = [...read(page).matchAll(/`((?:src|sandbox|test|docs)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );
  const missing = named.filter((path) => !existsSync(join(import.meta.dirname, '..', path)));
  expect(missing).toEqual([]);
});

it.each(GUIDES)('every file that %s names without its folder exists', (page) => {
  const files = ['src', 'sandbox', 'test', 'scripts'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, '..', folder), { recursive: true, encoding: 'utf8' }),
  );
  const named = [...read(page).matchAll(/`((?:[\w-]+\/)*\w[\w.-]*\.(?:ts|js))`/g)].map(
    ([, name = '']) => name,
  );
  const missing = named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)));
  expect(missing.filter((name) => !existsSync(join(import.meta.dirname, '..', name)))).toEqual([]);
});

describe('the table "Where is …" of docs/internals/architecture.md', () => {
  const [, table = ''] = read('docs/internals/architecture.md').split(
    /^## Where is …$|^## Where to add things$/m,
  );
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Question'));

  it('has at most 30 rows: what names can tell is not in it', () => {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(30);
  });

  it.each(rows)('names identifiers that are where it says: %s', (row) => {
    const named = [...row.matchAll(/`(\w+)` in `([\w./-]+)`/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [, identifier = '', path = ''] of named) {
      expect(read(path), path).toMatch(new RegExp(`\\b${identifier}\\b`));
    }
    expect(row.match(/`(?:src|sandbox)\/[^`]+`/g), 'each file with an identifier').toHaveLength(named.length);
  });
});

describe('the editor schema', () => {
  const validate = new Ajv({ strict: true, strictTypes: false }).compile(
    JSON.parse(read('workspace/config.schema.json')),
  );

  it('is a valid schema that accepts the defaults', () => {
    const { workspace, ...settings } = buildConfig(new Map());
    expect(validate(JSON.parse(JSON.stringify(settings)))).toBe(true);
    expect(workspace.path).toBe('workspace');
  });

  it.each([
    { cache: true },
    { caching: { ttl: 5 } },
    { server: { trustProxy: ['10.0.0.0/8'] } },
    { sandbox: { secrets: { A: 'x' } } },
  ])('accepts %j', (settings) => {
    expect(validate(settings)).toBe(true);
  });

  it.each([
    { server: { port: 'x' } },
    { cache: 1 },
    { caching: { ttl: 0 } },
    { server: { trustProxy: true } },
    { sandbox: { secrets: { A: 1 } } },
    { sandbox: { secrets: { a: 'x' } } },
  ])('refuses %j', (settings) => {
    expect(validate(settings)).toBe(false);
  });
});
