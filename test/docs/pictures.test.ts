// Pictures of docs/images: what they show is what their page says, and they show it wherever they are looked at.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { measuredRows, performancePicture } from '../../scripts/docs/performance-picture.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const FOLDER = join(ROOT, 'docs/images');
const FIRST_TIMES = /\d+(?: : \d+){3}/;
const PERFORMANCE = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');

describe('the picture of docs/performance.md', () => {
  const picture = performancePicture(PERFORMANCE);
  const rows = measuredRows(PERFORMANCE);

  it('has every time of the first table, and no other', () => {
    const shown = [...picture.matchAll(/class="small"[^>]*>(\d+)</g)].map(([, time]) => Number(time));
    expect(rows).toHaveLength(6);
    expect(shown).toEqual(rows.flatMap(({ micros }) => micros));
  });

  it('has bars as long as the times: twice the time, twice the bar', () => {
    const widths = [...picture.matchAll(/<rect class="s\d" [^>]*width="(\d+)" height="12"\/>\n/g)].map(
      ([, width]) => Number(width),
    );
    const micros = rows.flatMap((row) => row.micros);
    const longest = Math.max(...micros);
    expect(widths).toHaveLength(micros.length);
    for (const [index, width] of widths.entries()) {
      expect(width / Math.max(...widths)).toBeCloseTo((micros[index] ?? 0) / longest, 2);
    }
  });

  it.each([
    ['no table', '# Performance\n'],
    ['a time is missing', PERFORMANCE.replace(FIRST_TIMES, '34 : 25 : 25')],
    ['a time is no number', PERFORMANCE.replace(FIRST_TIMES, '34 : 25 : some : 33')],
  ])('is not drawn when %s', (_, page) => {
    expect(() => performancePicture(page)).toThrow('docs/performance.md has no table');
  });
});

describe.each(readdirSync(FOLDER).filter((name) => name.endsWith('.svg')))('docs/images/%s', (name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');

  it('is an SVG that can be drawn', async () => {
    expect(await sharp(Buffer.from(text)).metadata()).toMatchObject({ format: 'svg' });
  });

  it('loads and runs nothing, so that GitHub shows it', () => {
    expect(text).not.toMatch(/<script|<foreignObject|<image|href=|\son\w+=|@import|url\((?!#)/i);
  });

  it('says in words what it shows, and has colours for dark pages', () => {
    expect(text).toMatch(/<title id="title">[^<]+<\/title>\s*<desc id="description">[^<]+<\/desc>/);
    expect(text).toContain('@media (prefers-color-scheme: dark)');
  });
});
