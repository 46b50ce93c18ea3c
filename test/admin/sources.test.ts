// The sources of the admin page keep to what holds for all others.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, ROOT } from '../helpers/fixtures/source-tree.ts';
import { filesBelow } from '../helpers/temp/folders.ts';

const MAX_LINES = 300;
const MAX_FILES = 20;
/** What the page takes of the server: words that commands have too, lists of names, and the table of settings of recipes. */
const SHARED = [
  'src/cli/output/client-rights.ts',
  'src/delivery/recipes/setting-rules.ts',
  'src/lib/access-actions.ts',
];
/** The types of what the server answers. */
const GENERATED = 'admin/src/api/description.d.ts';

/** Forms that save nothing: they search, try, preview, or sign in. */
const SAVES_NOTHING = [
  'admin/src/session/sign-in.tsx',
  'admin/src/views/audit/audit-area.tsx',
  'admin/src/views/clients/client-access.tsx',
  'admin/src/views/collections/documents/search-form.tsx',
  'admin/src/views/endpoints/try-section.tsx',
  'admin/src/views/media/media-grid.tsx',
  'admin/src/views/recipes/recipe-preview.tsx',
  'admin/src/views/routes/route-tester.tsx',
  // Parts of a form that is elsewhere.
  'admin/src/views/collections/fields/json-control.tsx',
  'admin/src/views/collections/specification/specification-editor.tsx',
];

const files = filesBelow(join(ROOT, 'admin'))
  .filter((path) => /\.(ts|tsx|css)$/.test(path))
  .map((path) => ({ path: `admin/${path}`, text: readFileSync(join(ROOT, 'admin', path), 'utf8') }));
const paths = (found: typeof files) => found.map(({ path }) => path);

describe('the sources of the admin page', () => {
  it('are short files in folders of a size to read', () => {
    expect(
      paths(files.filter(({ path, text }) => path !== GENERATED && text.split('\n').length - 1 > MAX_LINES)),
    ).toEqual([]);
    const folders = Map.groupBy(files, ({ path }) => dirname(path));
    expect([...folders].filter(([, list]) => list.length > MAX_FILES).map(([folder]) => folder)).toEqual([]);
  });

  it('say what each file is for, and have plain names', () => {
    const code = files.filter(({ path }) => !path.endsWith('.css'));
    expect(paths(code.filter(({ text }) => !/^\/\/ /.test(text)))).toEqual([]);
    const vague = /\b(utils?|helpers?|common|misc)\b|[A-Z]|_/;
    expect(paths(files.filter(({ path }) => vague.test(basename(path))))).toEqual([]);
  });

  it('never write markup by themselves', () => {
    const written =
      /dangerouslySetInnerHTML|\.innerHTML\b|\.outerHTML\b|insertAdjacentHTML|document\.write|srcDoc/;
    expect(paths(files.filter(({ text }) => written.test(text)))).toEqual([]);
  });

  it('warn before a form or an editor is left with unsaved changes', () => {
    const isForm = ({ text }: (typeof files)[number]) =>
      /<form\b/.test(text) ||
      (text.match(/<CodeEditor\b.*?\/>/gs) ?? []).some((one) => one.includes('onChange='));
    const silent = files.filter((file) => isForm(file) && !/\buseUnsaved\(/.test(file.text));
    expect(paths(silent)).toEqual([...SAVES_NOTHING].sort());
  });

  it('change the address in one place, which knows of unsaved changes', () => {
    const leaving =
      /\[, \w+\] = useLocation\(|history\.(?:pushState|replaceState|go|back)\b|location\.(?:assign|href =)/;
    const found = files.filter(({ text }) => leaving.test(text)).map(({ path }) => dirname(path));
    expect([...new Set(found)]).toEqual(['admin/src/shell/leaving']);
  });

  it('take nothing of the server but words', () => {
    const foreign = files.flatMap(({ path, text }) =>
      importsOf(path, text)
        .filter(({ target, local }) => local && !target.startsWith('admin/') && !SHARED.includes(target))
        .map(({ target }) => `${path} imports ${target}`),
    );
    expect(foreign).toEqual([]);
  });
});
