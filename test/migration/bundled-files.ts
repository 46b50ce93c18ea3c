// `cloister bundle` on files of a test, and bundles loaded as posted code is.
import { compileFunction } from 'node:vm';
import { bundle } from '../../src/cli/bundle.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { layFiles, packageFiles, type SiteFiles } from './site-files.ts';

/** Bundles one of the files, in a new folder unless one is given. */
export async function bundled(files: SiteFiles, path: string, folder?: string) {
  const cwd = layFiles(folder ?? (await temporaryFolder()), files);
  const io = captureIo(cwd);
  let text = '';
  const code = await bundle({ path }, io, { write: (written) => (text += written) });
  return { code, text, complained: io.complained, cwd };
}

/** Runs a text as posted code runs, with nothing but a `require` of the names that stay. */
export function load(text: string, modules: Readonly<Record<string, unknown>> = {}) {
  const module = { exports: {} as never };
  const run = compileFunction(text, ['module', 'exports', 'require']);
  run(module, module.exports, (name: string) => {
    if (name in modules) return modules[name];
    throw new Error(`no module ${name}`);
  });
  return module.exports;
}

/** A hook with a file and a package of its own. */
export const SLUG: SiteFiles = {
  ...packageFiles('to-slug', "module.exports = (text) => text.toLowerCase().replace(/\\W+/g, '-');", '2.1.0'),
  'hooks/lib/join.js': "exports.join = (a, b) => a + '/' + b;\n",
  'hooks/slug.js': `const slug = require('to-slug');
const { join } = require('./lib/join');
module.exports = (obj) => ({ ...obj, slug: join('books', slug(obj.title)) });
`,
};
