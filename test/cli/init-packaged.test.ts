// A new site beside an installed package: from where it gets the same one, whatever it is called, and what is left where it cannot be
// written.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { init } from '../../src/cli/init.ts';
import { packageVersion } from '../../src/lib/files/package-files.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';

const SPECIFICATION = 'workspace/collections/1.0/library/collection.books.json';

/** Lays the package down as an installer has it. `installer` is the text of the package.json that asked for it, if there is one. */
async function installPackage(installer?: string): Promise<{ readonly cwd: string; readonly root: string }> {
  const cwd = await temporaryFolder();
  const root = join(cwd, 'tools/node_modules/cloister');
  mkdirSync(join(root, SPECIFICATION, '..'), { recursive: true });
  writeFileSync(join(root, SPECIFICATION), '{}');
  if (installer !== undefined) writeFileSync(join(cwd, 'tools/package.json'), installer);
  return { cwd, root };
}

async function packageOf(
  { cwd, root }: { readonly cwd: string; readonly root: string },
  site = 'sites/blog',
) {
  expect(await init({ folder: site }, captureIo(cwd), root)).toBe(0);
  return JSON.parse(readFileSync(join(cwd, site, 'package.json'), 'utf8'));
}

describe('A site of an installed package', () => {
  it.each([
    ['the registry', '1.2.3', '1.2.3'],
    ['a file beside its installer', 'file:../cloister.tgz', 'file:../../cloister.tgz'],
    [
      'a file elsewhere',
      'file:/srv/cloister.tgz',
      expect.stringMatching(/^file:(?:\.\.\/)+srv\/cloister\.tgz$/),
    ],
  ])('gets it from %s, as its installer did', async (_from, specifier, expected) => {
    const installed = await installPackage(JSON.stringify({ dependencies: { cloister: specifier } }));
    expect((await packageOf(installed)).dependencies).toEqual({ cloister: expected, node: '^26.0.0' });
  });

  it.each([
    ['has no package.json', undefined],
    ['has a broken package.json', '{'],
    ['does not name it', '{}'],
  ])('gets it by its version where the installer %s', async (_what, text) => {
    const { dependencies } = await packageOf(await installPackage(text));
    expect(dependencies.cloister).toBe(`^${packageVersion()}`);
  });

  it.each(['cloister', 'Cloister', 'node', '---'])(
    'is called site where its folder has the name of a package that it depends on, or none that npm takes: %s',
    async (name) => {
      expect((await packageOf(await installPackage(), `sites/${name}`)).name).toBe('site');
    },
  );

  it('leaves no file behind where the system takes some of them, and not the next', async () => {
    const { cwd, root } = await installPackage();
    // Room for the longest path above the specification, and none for that.
    const room = 4095 - join('/workspace/config.json').length - 2;
    let site = cwd;
    while (room - site.length > 2) site = join(site, 'x'.repeat(Math.min(200, room - site.length - 1)));
    mkdirSync(site, { recursive: true });
    await expect(init({ folder: site }, captureIo(cwd), root)).rejects.toThrow('ENAMETOOLONG');
    expect(filesBelow(site)).toEqual([]);
  });
});
