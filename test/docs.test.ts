// The generated pages say what the source says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../scripts/docs/generated-files.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { ERRORS } from '../src/errors.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

describe('generated documentation', () => {
  it.each([...generatedFiles()])('%s is up to date (npm run docs)', (path, text) => {
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
