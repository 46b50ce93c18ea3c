// A new site: what is written, and that nothing is overwritten.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { check } from '../../src/cli/check.ts';
import { init as initSite } from '../../src/cli/init.ts';
import { runCommand } from '../../src/cli/main.ts';
import { exampleFiles, writeExampleWorkspace } from '../helpers/fixtures/example-workspace.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { filesBelow, temporaryFolder } from '../helpers/temp/folders.ts';

const EXAMPLE = [...exampleFiles().keys()].filter((path) => path.startsWith('workspace/collections/'));
const WRITTEN = ['.gitignore', 'package.json', 'workspace/config.json', ...EXAMPLE].sort();

/** A package with the example as it is committed, and not as a developer's checkout has it. */
let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cloister-package-'));
  cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  writeExampleWorkspace(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function init(cwd: string, folder: string) {
  const io = captureIo(cwd);
  const code = await initSite({ folder }, io, root);
  return { code, out: io.printed, err: io.complained };
}

describe('cloister init', () => {
  it('writes a site that `cloister check` finds in order', async () => {
    const cwd = await temporaryFolder();
    const { code, out, err } = await init(cwd, 'My Site');
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(filesBelow(join(cwd, 'My Site'))).toEqual(WRITTEN);
    expect(out.slice(-4)).toEqual(['next:', '  cd My Site', '  npm install', '  npm start']);
    const io = captureIo(join(cwd, 'My Site'), {});
    expect(await check({}, io)).toBe(0);
    expect(io.printed).toEqual(['all is well']);
  });

  it('names Cloister and the Node of this checkout in package.json', async () => {
    const cwd = await temporaryFolder();
    await init(cwd, 'My Site');
    const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(JSON.parse(readFileSync(join(cwd, 'My Site/package.json'), 'utf8'))).toEqual({
      name: 'my-site',
      private: true,
      scripts: { start: 'cloister start', cloister: 'cloister' },
      dependencies: { cloister: `^${own.version}`, node: own.devDependencies.node },
      allowScripts: { node: true },
    });
  });

  it('keeps data and secrets out of the repository of the site', async () => {
    const cwd = await temporaryFolder();
    await init(cwd, '.');
    const ignored = readFileSync(join(cwd, '.gitignore'), 'utf8').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining(['node_modules/', '/data/', '/workspace/media/', '/.cache/', '.env']),
    );
  });

  it.each(['package.json', '.gitignore', 'workspace'])(
    'writes nothing where %s is there already, and names it',
    async (name) => {
      const cwd = await temporaryFolder();
      if (name === 'workspace') mkdirSync(join(cwd, name));
      else writeFileSync(join(cwd, name), 'mine');
      const { code, err } = await init(cwd, '.');
      expect(code).toBe(1);
      expect(err).toEqual([`cloister: init: . has ${name} already; nothing was written`]);
      expect(readdirSync(cwd)).toEqual([name]);
    },
  );

  it('takes a link that leads nowhere for a file that is there', async () => {
    const cwd = await temporaryFolder();
    symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'package.json'));
    expect((await init(cwd, '.')).code).toBe(1);
    expect(readdirSync(cwd)).toEqual(['package.json']);
  });

  it('leaves no file behind where one could not be written', async () => {
    const cwd = await temporaryFolder();
    // A file stands where the folder of the site would be.
    writeFileSync(join(cwd, 'site'), 'mine');
    await expect(init(cwd, 'site/of/mine')).rejects.toThrow('ENOTDIR');
    expect(filesBelow(cwd)).toEqual(['site']);
  });

  it('is a command that says what is there already', async () => {
    const cwd = await temporaryFolder();
    const io = captureIo(cwd);
    mkdirSync(join(cwd, 'workspace'));
    expect(await runCommand(['init', '.'], io)).toBe(1);
    expect(io.complained).toEqual(['cloister: init: . has workspace already; nothing was written']);
  });

  it('goes into a folder that has other files', async () => {
    const cwd = await temporaryFolder();
    writeFileSync(join(cwd, 'README.md'), 'mine');
    expect((await init(cwd, '.')).code).toBe(0);
    expect(readFileSync(join(cwd, 'README.md'), 'utf8')).toBe('mine');
  });
});
