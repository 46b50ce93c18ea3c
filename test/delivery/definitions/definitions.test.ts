// Definitions created over HTTP and edited by hand: what is in force, in which file, and under whose name.

import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DefinitionKind } from '../../../src/delivery/definitions/definition.ts';
import { createDefinitionNames } from '../../../src/delivery/definitions/definition-names.ts';
import {
  createDefinitions,
  type DefinitionChangeInterceptor,
} from '../../../src/delivery/definitions/definitions.ts';
import { ROUTE_KIND } from '../../../src/delivery/routes/route.ts';
import { AppError } from '../../../src/errors/errors.ts';
import { createFolderWorkspace } from '../../../src/stores/folder-workspace.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const RECIPES: DefinitionKind<object> = {
  noun: 'recipe',
  parse: (source) => ({ value: source, issues: [] }),
};

const OK = { ok: true };
const route = (name: string, recipe = 'default') => ({ route: name, branches: [{ recipe }] });
const recipesOf = (found: { source: object } | undefined) => found?.source;

async function opened(root?: string) {
  const folder = root ?? (await temporaryFolder());
  const lines: string[] = [];
  const note = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
  const shared = {
    names: createDefinitionNames(),
    log: { info: note('info'), warn: note('warn'), error: note('error') },
  };
  const routes = createDefinitions({
    workspace: createFolderWorkspace(),
    kind: ROUTE_KIND,
    folder: join(folder, 'routes'),
    ...shared,
  });
  const recipes = createDefinitions({
    workspace: createFolderWorkspace(),
    kind: RECIPES,
    folder: join(folder, 'recipes'),
    ...shared,
  });
  onTestFinished(async () => {
    await Promise.all([routes.close(), recipes.close()]);
  });
  await mkdir(join(folder, 'routes'), { recursive: true });
  const fileOf = (name: string) => join(folder, 'routes', `${name}.json`);
  const write = (name: string, content: object | string) =>
    writeFile(fileOf(name), typeof content === 'string' ? content : JSON.stringify(content));
  return { folder, routes, recipes, lines, fileOf, write };
}

describe('creating a definition', () => {
  it('brings it into force and into a file of its name', async () => {
    const { routes, folder, fileOf } = await opened();
    expect(await routes.create(route('sample-route'))).toEqual(OK);
    expect(routes.get('sample-route')).toMatchObject({ name: 'sample-route', source: route('sample-route') });
    expect(await readFile(fileOf('sample-route'), 'utf8')).toBe(
      `${JSON.stringify(route('sample-route'), null, 2)}\n`,
    );
    expect(await readdir(join(folder, 'routes'))).toEqual(['sample-route.json']);
  });

  it.each([undefined, null, [], 'text', 5])('refuses the body %j', async (body) => {
    const { routes } = await opened();
    expect(await routes.create(body)).toEqual({ ok: false, reason: 'bad-request', errors: ['Bad Request'] });
  });

  it('names everything that is wrong, in order, and writes nothing', async () => {
    const { routes, folder } = await opened();
    expect(await routes.create({ branches: [{}, null] })).toEqual({
      ok: false,
      reason: 'invalid',
      errors: ['Route name is missing', 'Branch 0 does not have a recipe', 'Branch 1 does not have a recipe'],
    });
    expect(
      await routes.create(JSON.parse('{"route":"sample","branches":[{"recipe":"x","__proto__":1}]}')),
    ).toMatchObject({ ok: false, reason: 'invalid' });
    expect(await readdir(join(folder, 'routes'))).toEqual([]);
  });

  it('answers with no more than a client can read', async () => {
    const { routes } = await opened();
    const outcome = await routes.create({
      route: 'sample',
      branches: Array(1000).fill({ ['x'.repeat(1000)]: 1 }),
    });
    if (outcome.ok) throw new Error('it was taken');
    expect(outcome.errors).toHaveLength(100);
    expect(Math.max(...outcome.errors.map(({ length }) => length))).toBeLessThan(400);
  });

  it('refuses a name that a route or recipe has, whatever the case of its letters', async () => {
    const { routes, recipes } = await opened();
    const refused = (title: string) => ({ ok: false, reason: 'exists', errors: [`${title} already exists`] });
    await routes.create(route('sample'));
    await recipes.create({ recipe: 'square' });
    expect(await routes.create(route('sample'))).toEqual(refused('Route'));
    expect(await routes.create(route('Sample'))).toEqual(refused('Route'));
    expect(await routes.create(route('SQUARE'))).toEqual(refused('Route'));
    expect(await recipes.create({ recipe: 'sample' })).toEqual(refused('Recipe'));
    expect(routes.get('SAMPLE')).toBeUndefined();
  });

  it('lets one of two have a name that both ask for at once', async () => {
    const { routes, recipes, fileOf } = await opened();
    const outcomes = await Promise.all([
      routes.create(route('sample', 'first')),
      routes.create(route('sample', 'second')),
      recipes.create({ recipe: 'Sample' }),
    ]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(JSON.parse(await readFile(fileOf('sample'), 'utf8'))).toEqual(route('sample', 'first'));
  });

  it('overwrites no file that was put there by hand, not even one that is broken', async () => {
    const { routes, write, fileOf } = await opened();
    await write('byhand', route('byhand', 'kept'));
    await write('broken', '{');
    for (const name of ['byhand', 'broken']) {
      expect(await routes.create(route(name))).toMatchObject({ reason: 'exists' });
    }
    expect(recipesOf(routes.get('byhand'))).toEqual(route('byhand', 'kept'));
    expect(await readFile(fileOf('broken'), 'utf8')).toBe('{');
  });

  it('follows no link that lies where the file would be', async () => {
    const { routes, folder, fileOf } = await opened();
    await writeFile(join(folder, 'elsewhere'), 'untouched');
    await symlink(join(folder, 'elsewhere'), fileOf('sample'));
    expect(await routes.create(route('sample'))).toMatchObject({ reason: 'exists' });
    expect(await routes.replace('sample', route('sample'))).toMatchObject({ reason: 'not-found' });
    expect(await readFile(join(folder, 'elsewhere'), 'utf8')).toBe('untouched');
  });

  it('fails with a sentence when the folder cannot be written, and changes nothing', async () => {
    const { routes, folder, lines } = await opened();
    await rm(join(folder, 'routes'), { recursive: true });
    await writeFile(join(folder, 'routes'), 'no folder');
    expect(await routes.create(route('sample'))).toEqual({
      ok: false,
      reason: 'failed',
      errors: ['Error when saving route'],
    });
    expect(routes.list()).toEqual([]);
    expect(lines.join()).toContain('saving a route failed');
  });
});

describe('replacing and removing a definition', () => {
  it('replaces the whole document, which may leave its name out', async () => {
    const { routes } = await opened();
    await routes.create(route('sample', 'old'));
    const before = routes.get('sample')?.hash;
    expect(await routes.replace('sample', { branches: [{ recipe: 'new' }] })).toEqual(OK);
    expect(routes.get('sample')?.source).toEqual(route('sample', 'new'));
    expect(routes.get('sample')?.hash).not.toBe(before);
  });

  it('refuses another name, a bad document and a name that nobody has', async () => {
    const { routes } = await opened();
    await routes.create(route('sample', 'old'));
    const errorsOf = async (name: string, body: object) => {
      const outcome = await routes.replace(name, body as never);
      return outcome.ok ? [] : outcome.errors;
    };
    expect(await errorsOf('sample', route('other'))).toEqual([
      'Route name must be sample, as in the address',
    ]);
    expect(await errorsOf('sample', { branches: [] })).toEqual(['Route must have at least one branch']);
    expect(await errorsOf('nobody', route('nobody'))).toEqual(['Route not found']);
    expect(await errorsOf('Sample', route('Sample'))).toEqual(['Route not found']);
    expect(await errorsOf('../recipes/square', { branches: [{ recipe: 'x' }] })).toEqual(['Route not found']);
    expect(routes.get('sample')?.source).toEqual(route('sample', 'old'));
  });

  it('removes the file and frees the name', async () => {
    const { routes, recipes, folder } = await opened();
    await routes.create(route('sample'));
    expect(await routes.remove('sample')).toEqual(OK);
    expect(await routes.remove('sample')).toMatchObject({ reason: 'not-found' });
    expect([routes.get('sample'), await readdir(join(folder, 'routes'))]).toEqual([undefined, []]);
    expect(await recipes.create({ recipe: 'sample' })).toEqual(OK);
  });

  it('finds the file of a name that the file does not bear', async () => {
    const { routes, write, folder } = await opened();
    await write('2017-campaign', route('campaign'));
    await routes.load();
    expect(await routes.replace('campaign', { branches: [{ recipe: 'new' }] })).toEqual(OK);
    expect(await readdir(join(folder, 'routes'))).toEqual(['2017-campaign.json']);
    expect(await routes.remove('campaign')).toEqual(OK);
  });

  it('repairs or removes a broken file by the name of the file', async () => {
    const { routes, write } = await opened();
    await write('broken', '{');
    await write('hopeless', '{');
    await routes.load();
    expect(await routes.replace('broken', { branches: [{ recipe: 'x' }] })).toEqual(OK);
    expect(await routes.remove('hopeless')).toEqual(OK);
    expect([routes.list().map(({ name }) => name), routes.problems()]).toEqual([['broken'], []]);
  });
});

describe('a change of a definition', () => {
  it('sees it before it is made, and only if it is not refused', async () => {
    const { routes, folder } = await opened();
    const seen: unknown[] = [];
    const around: DefinitionChangeInterceptor = async (change, apply) => {
      seen.push({ ...change, files: await readdir(join(folder, 'routes')) });
      await apply();
    };
    await routes.create({}, around);
    await routes.remove('sample', around);
    await routes.create(route('sample', 'old'), around);
    await routes.replace('sample', route('sample', 'new'), around);
    await routes.remove('sample', around);
    const [old, now] = [route('sample', 'old'), route('sample', 'new')];
    expect(seen).toEqual([
      { before: undefined, after: old, files: [] },
      { before: old, after: now, files: ['sample.json'] },
      { before: now, after: undefined, files: ['sample.json'] },
    ]);
  });

  it('can prevent it', async () => {
    const { routes, folder } = await opened();
    const around: DefinitionChangeInterceptor = () => Promise.reject(new AppError('WORKSPACE_UNAVAILABLE'));
    expect(await routes.create(route('sample'), around)).toMatchObject({ ok: false, reason: 'failed' });
    expect([routes.list(), await readdir(join(folder, 'routes'))]).toEqual([[], []]);
  });
});

describe('definition files at startup', () => {
  it('are all in force that make sense; the others are logged and listed', async () => {
    const { routes, write, lines, fileOf } = await opened();
    await write('whole', route('whole'));
    await write('partly', { branches: [{ recipe: 'x', condition: { place: 'GB' } }, { recipe: 'y' }] });
    await write('broken', '{\n"route"');
    await routes.load();
    expect(routes.list().map(({ name }) => name)).toEqual(['partly', 'whole']);
    expect(routes.problems()).toMatchObject([
      { file: fileOf('broken'), line: 2, severity: 'error' },
      { file: fileOf('partly'), message: 'Branch 0: unknown condition "place"', severity: 'error' },
    ]);
    expect(lines.filter((line) => line.startsWith('error'))).toHaveLength(2);
  });

  it('share their names with those of the other kind: the first keeps it, until it goes', async () => {
    const { folder, routes, recipes, write } = await opened();
    await mkdir(join(folder, 'recipes'));
    await write('sample', route('sample'));
    await writeFile(join(folder, 'recipes', 'Sample.json'), '{}');
    await routes.load();
    await recipes.load();
    expect([routes.list().length, recipes.list().length]).toEqual([1, 0]);
    expect(recipes.problems()).toMatchObject([{ message: expect.stringContaining('is the name of') }]);
    await routes.remove('sample');
    expect([recipes.get('Sample')?.name, recipes.problems()]).toEqual(['Sample', []]);
  });
});

describe('definition files edited by hand', () => {
  it('come into force, and go, and stay out while they make no sense', async () => {
    const { routes, write, fileOf } = await opened();
    await write('early', route('early'));
    await routes.load();
    await routes.watch();
    const recipeOf = (name: string) => routes.get(name)?.value.branches[0]?.recipe;

    await write('later', route('later', 'one'));
    await expect.poll(() => recipeOf('later')).toBe('one');
    await write('later', route('later', 'two, longer'));
    await expect.poll(() => recipeOf('later')).toBe('two, longer');
    await write('later', '{ "route": ');
    await expect.poll(() => routes.problems().length).toBe(1);
    expect(recipeOf('later')).toBe('two, longer');
    await rm(fileOf('later'));
    await expect.poll(() => recipeOf('later')).toBeUndefined();
    expect([recipeOf('early'), routes.problems()]).toEqual(['default', []]);
  });

  it('are found that happen between the reading and the watch', async () => {
    const { routes, write, fileOf } = await opened();
    await write('early', route('early'));
    await routes.load();
    await write('later', route('later'));
    await rm(fileOf('early'));
    await routes.watch();
    expect(routes.list().map(({ name }) => name)).toEqual(['later']);
  });
});
