import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../docs/decisions');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const names = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
const index = read('README.md');

/** The decisions that lines beginning with this word link to. */
const linked = (text: string, word: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${word} `))
    .flatMap((line) => [...line.matchAll(/\]\((\d{4}-[^)]+)\)/g)].map(([, name]) => name));

describe('decision records', () => {
  it('are all in the index, in order', () => {
    const listed = [...index.matchAll(/^\| \[\d{4}\]\(([^)]+)\)/gm)].map(([, name]) => name);
    expect(listed).toEqual(names.toSorted());
  });

  it('that no longer hold say which later one supersedes them, and so does the index', () => {
    const superseding = names.flatMap((name) =>
      linked(read(name), 'Supersedes').map((older) => [older, name]),
    );
    expect(superseding.length).toBeGreaterThan(0);
    for (const [older = '', newer = ''] of superseding) {
      expect(linked(read(older), 'Superseded'), older).toContain(newer);
      const row = index.split('\n').find((line) => line.includes(`(${older})`));
      expect(row, older).toContain(`superseded by ${newer.slice(0, 4)}`);
    }
    const superseded = names.flatMap((name) =>
      linked(read(name), 'Superseded').map((newer) => [name, newer]),
    );
    expect(superseded.toSorted()).toEqual(superseding.toSorted());
  });
});
