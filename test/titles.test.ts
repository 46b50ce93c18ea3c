// Titles of tests say their subject: one that stands in no `describe` is all that a report shows.
import { expect, it } from 'vitest';
import { sourceFiles } from './helpers/fixtures/source-tree.ts';

/** Titles at the beginning of a line, which are in no `describe`: of `it`, `test`, and of `each` behind its rows. */
const TOP_TITLE = /^(?:(?:it|test)(?:\.each\(.*\))?|\]\))\((['"`])(?<title>.*?)\1,/gm;
/** Verbs in the third person with which titles in a `describe` begin. Those that are nouns in the plural too are not here. */
const VERBS =
  'accepts|applies|are|can|compiles|creates|does|finds|gives|goes|has|holds|is|keeps|knows|leaves|lies|may|means|parses|refuses|rejects|removes|returns|says|sends|stores|strips|takes|tells|treats|waits|yields';
const WITHOUT_SUBJECT = new RegExp(`^(?:${VERBS})\\b`);

function titlesWithoutSubject(text: string): readonly string[] {
  const titles = [...text.matchAll(TOP_TITLE)].map(({ groups }) => groups?.['title'] ?? '');
  return titles.filter((title) => WITHOUT_SUBJECT.test(title));
}

it('titles of tests in no `describe` say their subject', () => {
  const files = sourceFiles('test');
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap(({ path, text }) =>
    titlesWithoutSubject(text).map((title) => `${path}: ${title}`),
  );
  expect(found).toEqual([]);
});

it('titles without a subject are found in every form', () => {
  const text = [
    "it('keeps one', () => {});",
    "test.each([1, 2])('finds %s', () => {});",
    "])('is %s', () => {});",
    "  it('keeps one inside', () => {});",
    "it('a list keeps one', () => {});",
  ].join('\n');
  expect(titlesWithoutSubject(text)).toEqual(['keeps one', 'finds %s', 'is %s']);
});
