// What `cloister check` says of routes and recipes.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDefinitions } from '../../src/delivery/check-definitions.ts';
import type { DefinitionKind } from '../../src/delivery/definitions/definition.ts';
import { ROUTE_KIND } from '../../src/delivery/routes/route.ts';
import { createFolderWorkspace } from '../../src/stores/folder-workspace.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

const RECIPES: DefinitionKind<object> = {
  noun: 'recipe',
  parse: (source) => ({ value: source, issues: [] }),
};

async function check(files: Readonly<Record<string, object | string>>, plainRecipe?: string) {
  const root = await temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const folders = { routes: join(root, 'routes'), recipes: join(root, 'recipes') };
  const problems = await checkDefinitions({
    workspace: createFolderWorkspace(),
    folders,
    routes: ROUTE_KIND,
    recipes: RECIPES,
    plainRecipe,
  });
  return problems.map(({ file, line, message, severity }) => {
    const place = line === undefined ? file.slice(root.length + 1) : `${file.slice(root.length + 1)}:${line}`;
    return `${severity} ${place} ${message.replaceAll(root, '')}`;
  });
}

describe('checkDefinitions', () => {
  it('finds nothing where all is well, and where there are no folders', async () => {
    const branches = [{ condition: { device: 'mobile' }, recipe: 'small' }, { recipe: 'small' }];
    expect(await check({ 'routes/sample.json': { branches }, 'recipes/small.json': {} })).toEqual([]);
    expect(await check({})).toEqual([]);
  });

  it('says that the recipe of plain images is not there', async () => {
    expect(await check({ 'recipes/small.json': {} }, 'small')).toEqual([]);
    expect(await check({ 'recipes/small.json': {} }, 'plain')).toEqual([
      'warning recipes `delivery.plainRecipe`: there is no recipe plain',
    ]);
  });

  it('names every problem with its file and line', async () => {
    const found = await check({
      'routes/a-broken.json': '{',
      'routes/b-partly.json':
        '{"branches":[\n{"recipe":"small","condition":{"country":"GB","location":"GB"}}]}',
      'routes/c-open.json': '{"branches":[{"recipe":"small"},\n{"recipe":"large"}]}',
      'recipes/small.json': {},
      'recipes/C-Open.json': {},
    });
    expect(found).toEqual([
      'error routes/a-broken.json:1 is not valid JSON: column 2: expected a name in double quotes or `}`, but the text ends',
      'error routes/b-partly.json:2 Branch 0: location is another name of country, which is given too',
      'warning routes/c-open.json:1 Branch 0 has no condition, so that the branches after it are never reached',
      'warning routes/c-open.json Branch 1: there is no recipe large',
      'error recipes/C-Open.json is not in force: `C-Open` is the name of /routes/c-open.json',
    ]);
  });
});
