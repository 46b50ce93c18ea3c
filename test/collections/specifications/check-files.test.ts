import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkSpecificationFiles } from '../../../src/collections/specifications/check-files.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { createFolderWorkspace } from '../../../src/stores/folder-workspace.ts';
import { writeExampleWorkspace } from '../../helpers/fixtures/example-workspace.ts';

async function check(files: Readonly<Record<string, Json>>) {
  const root = await mkdtemp(join(tmpdir(), 'cloister-check-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(
      join(root, path),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    );
  }
  const problems = await checkSpecificationFiles({
    workspace: createFolderWorkspace(),
    root,
    enableCollectionDatabases: false,
  });
  return problems.map(
    ({ file, line, severity, message }) => `${severity} ${file.slice(root.length + 1)}:${line} ${message}`,
  );
}

const good = { fields: { a: {} }, settings: {} };

test('the example workspace is sound', async () => {
  const site = await mkdtemp(join(tmpdir(), 'cloister-example-'));
  onTestFinished(() => rm(site, { recursive: true, force: true }));
  writeExampleWorkspace(site);
  const root = join(site, 'workspace/collections');
  expect(
    await checkSpecificationFiles({
      workspace: createFolderWorkspace(),
      root,
      enableCollectionDatabases: false,
    }),
  ).toEqual([]);
});

test('the check of specification files names file and line of every problem', async () => {
  const problems = await check({
    '1.0/library/collection.a.json': '{\n  "fields": {\n    "x": {},\n  }\n}',
    '1.0/library/collection.b.json': { fields: { a: {}, b: { type: 'Nope' } }, settings: { count: 0 } },
    '1.0/library/collection.c.json': { fields: { a: {} }, settings: [] },
    'api/library/collection.d.json': good,
  });
  expect(problems).toEqual([
    'error 1.0/library/collection.a.json:4 is not valid JSON: column 3: expected a name in double quotes',
    expect.stringMatching(/^error 1\.0\/library\/collection\.b\.json:4 b: `Nope` is not a type/),
    'error 1.0/library/collection.b.json:9 count: must be a whole number from 1',
    'error 1.0/library/collection.c.json:5 settings: must be an object',
    'error api/library/collection.d.json:1 version: `api` is reserved',
  ]);
});

test.each([
  ['"fields":{"n":{"type":"Number",\n"default":@}},"settings":{}', 'fields.n.default'],
  ['"fields":{"n":{"type":"Mixed",\n"example":[1,{"id":@}]}},"settings":{}', 'fields.n.example.1.id'],
  [
    '"fields":{"n":{"type":"Number"}},"settings":{\n"defaultFilters":{"n":{"$in":[1,@]}}}',
    'settings.defaultFilters.n.$in.1',
  ],
])(
  'the check of specification files names file and line of an integer that a number cannot hold, %s',
  async (text, path) => {
    for (const literal of ['9007199254740993', '-12345678901234567890']) {
      const file = '1.0/library/collection.a.json';
      expect(await check({ [file]: `{${text.replace('@', literal)}}` })).toEqual([
        `error ${file}:2 ${path}: ${literal} cannot be held exactly as a number: send it as text`,
      ]);
    }
    // What the server itself writes for a number that is this large.
    const written = `{${text.replace('@', '12345678901234567000')}}`;
    expect(await check({ '1.0/library/collection.a.json': written })).toEqual([]);
  },
);

test('the check of specification files refuses names that not every store can hold, whether or not folders are databases', async () => {
  const { fields } = good;
  const problems = await check({
    '1.0/Admin/collection.a.json': good,
    '1.0/config/collection.a.json': good,
    '1.0/local/collection.a.json': good,
    '1.0/library/collection.system.users.json': good,
    '1.0/library/collection.ends..json': good,
    '1.0/shop/collection.b.json': { fields, settings: { revisionCollection: 'system.past' } },
    '1.0/shop.eu/collection.a.json': good,
    [`1.0/${'x'.repeat(64)}/collection.a.json`]: good,
    '2.0/Library/collection.a.json': good,
  });
  expect(problems.map((text) => text.replace(/^error \S+:\d+ /, ''))).toEqual(
    expect.arrayContaining([
      'database: `Admin` is reserved',
      'database: `config` is reserved',
      'database: `local` is reserved',
      'collection: names that start with `system.` are reserved',
      'collection: must not end with a dot',
      'revisionCollection: names that start with `system.` are reserved',
      'database: must not have a dot',
      'database: is longer than 63 characters',
    ]),
  );
  expect(problems).toHaveLength(8);
});

test('what is accepted but has no effect is a warning with file and line', async () => {
  const reference = { type: 'Reference', settings: { collection: 'nowhere' } };
  const problems = await check({
    '1.0/archive/collection.books.json': good,
    '1.0/library/collection.books.json': {
      fields: { a: { validation: { regex: { pattern: '(?=x)' } } }, b: reference },
      settings: { sort: 'a', index: [{ keys: { b: 1 }, options: { expireAfterSeconds: 1 } }] },
    },
  });
  expect(problems.map((text) => text.slice(0, 45))).toEqual([
    'warning 1.0/archive/collection.books.json:1 s',
    'warning 1.0/library/collection.books.json:3 f',
    'warning 1.0/library/collection.books.json:19 ',
    'warning 1.0/library/collection.books.json:18 ',
    'warning 1.0/library/collection.books.json:13 ',
    'warning 1.0/library/collection.books.json:1 s',
  ]);
});

test('the check compares the files of all collections', async () => {
  const problems = await check({
    '1.0/library/collection.Books.json': good,
    '1.0/library/collection.books.json': { fields: { a: {} }, settings: { defaultFilters: { b: 1 } } },
  });
  expect(problems.filter((text) => text.includes('differs only by case'))).toHaveLength(2);
  expect(problems.filter((text) => text.includes('`b`: '))).toHaveLength(1);
});

test('the check of specification files names both files of specifications that keep their revisions in one place, or among documents', async () => {
  const { fields } = good;
  const kept = (revisionCollection: string) => ({
    fields,
    settings: { storeRevisions: true, revisionCollection },
  });
  const index = { keys: { [Object.keys(fields)[0]!]: 1 }, options: { unique: true } };
  const problems = await check({
    '1.0/library/collection.a.json': kept('changes'),
    '1.0/library/collection.b.json': kept('changes'),
    '1.0/library/collection.c.json': kept('d'),
    '1.0/library/collection.d.json': { fields, settings: { index, type: 'media' } },
    '1.0/library/collection.e.json': kept('f'),
    '1.0/library/collection.f.json': { fields, settings: { index } },
  });
  expect(problems.filter((text) => text.startsWith('error'))).toEqual([
    expect.stringContaining(
      'a.json:7 revisionCollection: `changes` keeps the revisions of /1.0/library/b already',
    ),
    expect.stringContaining(
      'b.json:7 revisionCollection: `changes` keeps the revisions of /1.0/library/a already',
    ),
    expect.stringContaining('c.json:7 revisionCollection: `d` is a collection of documents'),
    expect.stringContaining('d.json:14 type: cannot be set here: /1.0/library/c keeps'),
    expect.stringContaining('e.json:7 revisionCollection: `f` has a unique index'),
    expect.stringContaining('f.json:6 index: cannot be unique: /1.0/library/e keeps'),
  ]);
});

test('the check of specification files names the versions of a collection that keep no revisions, or in another place', async () => {
  const kept = (settings: JsonObject) => ({ fields: good.fields, settings });
  const problems = await check({
    '1.0/library/collection.a.json': kept({ storeRevisions: true }),
    '2.0/library/collection.a.json': kept({ storeRevisions: true, revisionCollection: 'changes' }),
    '3.0/library/collection.a.json': kept({}),
    '1.0/library/collection.b.json': kept({ storeRevisions: true }),
    '2.0/library/collection.b.json': kept({ storeRevisions: true, revisionCollection: 'bHistory' }),
  });
  const shared = 'has its documents in common with';
  const lacks = 'histories lack what is written there';
  expect(problems).toEqual([
    `warning 1.0/library/collection.a.json:5 ${shared} /2.0/library/a, which keeps revisions elsewhere: ${lacks}`,
    `warning 1.0/library/collection.a.json:5 ${shared} /3.0/library/a, which keeps no revisions: ${lacks}`,
    `warning 2.0/library/collection.a.json:7 ${shared} /1.0/library/a, which keeps revisions elsewhere: ${lacks}`,
    `warning 2.0/library/collection.a.json:7 ${shared} /3.0/library/a, which keeps no revisions: ${lacks}`,
  ]);
});

test('members that look like others are named with their lines', async () => {
  const problems = await check({
    '1.0/library/collection.a.json': {
      fields: { a: { requierd: true, validation: { minLenght: 1 } }, b: { mine: 1 } },
      settings: { bogus: 1, storeRevision: true, index: [{ key: { a: 1 }, keys: { a: 1 } }] },
    },
  });
  expect(problems).toEqual([
    expect.stringMatching(/^warning .*:\d+ fields\.a: `requierd` has no effect: did you mean `required`\?$/),
    expect.stringMatching(/^warning .*:\d+ fields\.a: `validation\.minLenght` .*did you mean `minLength`\?$/),
    expect.stringMatching(/^warning .*:\d+ fields\.b: `mine` is no attribute and has no effect$/),
    expect.stringMatching(/^warning .*:\d+ settings: `bogus` has no effect$/),
    expect.stringMatching(/^warning .*:\d+ settings: `storeRevision` .*did you mean `storeRevisions`\?$/),
    expect.stringMatching(/^warning .*:\d+ settings\.index: `key` has no effect: did you mean `keys`\?$/),
  ]);
});
