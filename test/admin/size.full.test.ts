// What a browser loads before it shows anything. Editors and views come later, when they are opened.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { builtPage } from '../helpers/admin/built-page.ts';
import { filesBelow } from '../helpers/temp/folders.ts';

const MAX_FIRST_VIEW_BYTES = 350_000;

const read = (path: string) => readFileSync(join(builtPage(), path), 'utf8');

/** The files that the page names, and what these import before they run. */
function firstFiles(): readonly string[] {
  const found = new Set(['index.html']);
  for (const path of found) {
    const text = read(path);
    for (const [, asset] of text.matchAll(/(?:src|href)="\/admin\/([^"]+)"/g)) found.add(asset ?? '');
    if (!path.endsWith('.js')) continue;
    const imported = /(?:^|[;}])import(?:[\w*{}$,\s]+from)?"\.\/([^"]+)"/g;
    for (const [, file] of text.matchAll(imported)) found.add(`assets/${file}`);
  }
  return [...found];
}

const gzipped = (path: string) => gzipSync(read(path)).length;
const sum = (paths: readonly string[]) => paths.reduce((total, path) => total + gzipped(path), 0);

describe('the built admin page', () => {
  it(`needs less than ${MAX_FIRST_VIEW_BYTES} bytes, compressed, until it shows the form to sign in`, () => {
    const files = firstFiles();
    expect(files.some((path) => path.endsWith('.js'))).toBe(true);
    expect(files.some((path) => path.endsWith('.css'))).toBe(true);
    expect(sum(files)).toBeLessThan(MAX_FIRST_VIEW_BYTES);
  });

  it('needs less than that for any first view: with the code of the largest area, without editors', () => {
    const areas = filesBelow(join(builtPage(), 'assets'))
      .filter((name) => /-area-[\w-]+\.(js|css)$/.test(name))
      .map((name) => gzipped(`assets/${name}`));
    expect(areas.length).toBeGreaterThan(5);
    expect(sum(firstFiles()) + Math.max(...areas)).toBeLessThan(MAX_FIRST_VIEW_BYTES);
  });

  it('leaves the editor out of the first view', () => {
    // A class that every editor has.
    expect(firstFiles().filter((path) => read(path).includes('cm-content'))).toEqual([]);
  });

  it('names every file by its content, and asks for nothing from elsewhere', () => {
    const assets = filesBelow(join(builtPage(), 'assets'));
    expect(assets.filter((name) => !/-[\w-]{8}\.\w+$/.test(name))).toEqual([]);
    expect(read('index.html')).not.toMatch(/(?:src|href)="(?!\/admin\/)/);
    expect(read('index.html')).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
  });

  it('brings the licences of what is in it', () => {
    const licences = read('licences.md');
    for (const name of ['react', '@mantine/core', '@tanstack/react-query', 'wouter']) {
      expect(licences).toContain(`## ${name} - `);
    }
  });
});
