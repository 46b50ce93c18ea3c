// Links of the documentation lead to a file that is there, and to a heading that it has.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const PAGES = globSync(['*.md', 'docs/**/*.md', 'sandbox/*.md'], { cwd: ROOT }).toSorted();
const LINK = /\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

const readPage = (path: string) => readFileSync(join(ROOT, path), 'utf8').replaceAll(/^```.*?^```/gms, '');

/** The names that GitHub gives to the headings of a page. */
function headingsOf(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const names = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
    const name = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\s-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}-${times}`;
  });
  return new Set(names);
}

/** Why a link leads nowhere; undefined when it does lead somewhere. */
function brokenLink(from: string, target: string, heading: string | undefined): string | undefined {
  const path = target === '' ? from : join(dirname(from), decodeURI(target));
  if (!existsSync(join(ROOT, path))) return `${target}: no such file`;
  // Lines of source files are checked by the pages that have them.
  if (heading === undefined || !path.endsWith('.md') || statSync(join(ROOT, path)).isDirectory()) return;
  return headingsOf(readPage(path)).has(heading) ? undefined : `${target}#${heading}: no such heading`;
}

describe('links of', () => {
  it.each(PAGES)('%s lead somewhere', (page) => {
    const broken = [...readPage(page).matchAll(LINK)].flatMap(
      ([, target = '', heading]) => brokenLink(page, target, heading) ?? [],
    );
    expect(broken).toEqual([]);
  });
});

it('the check of links knows how GitHub names headings', () => {
  const page = '# A `b`: c (d)\n## [Link](x.md) and 2.1\n## Twice\n## Twice\n';
  expect([...headingsOf(page)]).toEqual(['a-b-c-d', 'link-and-21', 'twice', 'twice-1']);
});

it.each([
  ['nowhere.md', undefined, 'nowhere.md: no such file'],
  ['access.md', 'nowhere', 'access.md#nowhere: no such heading'],
  ['', 'nowhere', '#nowhere: no such heading'],
  ['access.md', 'rules', undefined],
  ['', 'filters', undefined],
])(
  'the check of links says of a link in docs/queries.md to "%s" and heading %s: %s',
  (target, heading, said) => {
    expect(brokenLink('docs/queries.md', target, heading)).toBe(said);
  },
);
