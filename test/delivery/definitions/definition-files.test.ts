// The folder of definitions, whatever may lie there.

import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  definitionFilePath,
  definitionNameOf,
  isDefinitionFile,
  listDefinitionFiles,
  MAX_DEFINITION_BYTES,
  parseDefinitionFile,
  readDefinitionFile,
} from '../../../src/delivery/definitions/definition-files.ts';
import { ROUTE_KIND } from '../../../src/delivery/routes/route.ts';
import { createFolderWorkspace } from '../../../src/stores/folder-workspace.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const workspace = createFolderWorkspace();

describe('the folder of definitions', () => {
  it('holds the files that end in .json and are not hidden', async () => {
    const folder = await temporaryFolder();
    for (const name of ['b.json', 'a.json', '.#a.json', 'notes.md', 'a.json.123'])
      await writeFile(join(folder, name), '');
    expect(await listDefinitionFiles(workspace, folder)).toEqual([
      join(folder, 'a.json'),
      join(folder, 'b.json'),
    ]);
    expect(isDefinitionFile(join(folder, 'a.json.123'))).toBe(false);
    expect(definitionNameOf(definitionFilePath(folder, 'sample'))).toBe('sample');
  });

  it('holds nothing when it is missing', async () => {
    expect(await listDefinitionFiles(workspace, join(await temporaryFolder(), 'nowhere'))).toEqual([]);
  });
});

describe('a definition file', () => {
  it('is read as text, without byte order mark', async () => {
    const file = join(await temporaryFolder(), 'a.json');
    await writeFile(file, '\uFEFF{"a":"é"}');
    expect(await readDefinitionFile(workspace, file)).toEqual({ state: 'text', text: '{"a":"é"}' });
  });

  it('may be missing', async () => {
    expect(await readDefinitionFile(workspace, join(await temporaryFolder(), 'a.json'))).toEqual({
      state: 'missing',
    });
  });

  it('is ignored when it is a link, a folder or a pipe', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'secret'), '{}');
    await symlink(join(folder, 'secret'), join(folder, 'link.json'));
    await mkdir(join(folder, 'folder.json'));
    execFileSync('mkfifo', [join(folder, 'pipe.json')]);
    const found = await Promise.all(
      ['link', 'folder', 'pipe'].map((name) => readDefinitionFile(workspace, join(folder, `${name}.json`))),
    );
    expect(found).toEqual([
      { state: 'unreadable', message: 'is a symbolic link and is ignored' },
      { state: 'unreadable', message: 'is no regular file and is ignored' },
      { state: 'unreadable', message: 'is no regular file and is ignored' },
    ]);
  });

  it('is ignored when it is too long', async () => {
    const file = join(await temporaryFolder(), 'a.json');
    await writeFile(file, Buffer.alloc(MAX_DEFINITION_BYTES, ' '));
    expect(await readDefinitionFile(workspace, file)).toMatchObject({ state: 'text' });
    await writeFile(file, Buffer.alloc(MAX_DEFINITION_BYTES + 1, ' '));
    expect(await readDefinitionFile(workspace, file)).toMatchObject({ state: 'unreadable' });
  });
});

const interpret = (text: string) => parseDefinitionFile(ROUTE_KIND, '/routes/from-file.json', text);

describe('the text of a definition file', () => {
  it('gives the definition its name, from the file where it has none of its own', () => {
    const branches = '"branches":[{"recipe":"x"}]';
    expect(interpret(`{"route":"own-name",${branches}}`)).toMatchObject({
      definition: { name: 'own-name' },
      problems: [],
    });
    expect(interpret(`{${branches}}`)).toMatchObject({ definition: { name: 'from-file' }, problems: [] });
  });

  it('has a hash that changes with the content, not with the blanks', () => {
    const hashOf = (text: string) => interpret(text).definition?.hash;
    const plain = hashOf('{"branches":[{"recipe":"x"}]}');
    expect(hashOf('{ "branches": [ {"recipe": "x"} ] }\n')).toBe(plain);
    expect(hashOf('{"branches":[{"recipe":"y"}]}')).not.toBe(plain);
  });

  it('may hold a broken branch, which is named with its line', () => {
    const text =
      '{\n "branches": [\n  {"recipe": "x"},\n  {"recipe": "y",\n   "condition": {"place": "GB"}}\n ]\n}';
    const { definition, problems } = interpret(text);
    expect(definition?.value.branches.map(({ broken }) => broken)).toEqual([false, true]);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
      {
        file: '/routes/from-file.json',
        line: 5,
        message: 'Branch 1: unknown condition "place"',
        severity: 'error',
      },
    ]);
  });

  it.each([
    ['', 1, 'is not valid JSON: column 1: expected a value, but the text ends'],
    ['{\n"branches": [\n}', 3, 'is not valid JSON: column 1: expected a value or `]`'],
    ['[]', 1, 'must be a JSON object'],
    ['null', 1, 'must be a JSON object'],
    ['{\n"route": 5}', 2, 'route must be a string'],
    ['{\n"route": "api"}', 2, 'Route name is reserved'],
    ['{\n"route": "../up"}', 2, 'Route name must be 1 to 100 letters, digits, dashes and underscores'],
    ['{"route": "sample",\n"branches": {}}', 2, 'Route branches missing or invalid'],
    ['{"route": "sample",\n"branches": [{"__proto__": {}}]}', 2, 'branches.0.__proto__ is a reserved name'],
    [`${'['.repeat(200)}${']'.repeat(200)}`, 1, 'nested deeper'],
    ['['.repeat(50_000), 1, 'is not valid JSON'],
  ])('is not in force when it is %j', (text, line, message) => {
    const { definition, problems } = interpret(text);
    expect(definition).toBeUndefined();
    expect(problems).toMatchObject([{ line, message: expect.stringContaining(message), severity: 'error' }]);
  });

  it('with a thousand faults names the first hundred', () => {
    const text = JSON.stringify({ branches: Array(1000).fill({}) });
    expect(interpret(text).problems).toHaveLength(100);
  });
});
