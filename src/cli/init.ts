// `cloister init`: writes a site into a folder: the example workspace, a package.json with Cloister and the Node that it needs.
// Runs on older Nodes too, so it imports little.
import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolderSync } from '../lib/files/file-operations.ts';
import { packageRoot, packageVersion } from '../lib/files/package-files.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

interface PackageFile {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface SiteFile {
  /** Relative to the folder of the site. */
  readonly path: string;
  readonly text: string;
}

const IGNORED = `node_modules/
# Documents, keys and uploads.
/data/
/workspace/media/
/.cache/
# Secrets.
.env
.env.*
*.log
`;

const PACKAGES = 'node_modules';

function readPackage(folder: string): PackageFile {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageFile;
  } catch {
    return {};
  }
}

/** How the site gets this package: from where this one came, or by its version. */
function ownSpecifier(root: string, site: string): string {
  const byVersion = `^${packageVersion()}`;
  if (basename(dirname(root)) !== PACKAGES) return byVersion;
  const installer = dirname(dirname(root));
  const specifier = readPackage(installer).dependencies?.['cloister'] ?? byVersion;
  if (!specifier.startsWith('file:')) return specifier;
  const path = specifier.slice('file:'.length);
  // Slashes also where the system has others.
  return `file:${relative(site, isAbsolute(path) ? path : resolve(installer, path)).replaceAll('\\', '/')}`;
}

/** A name that npm takes, and none of the packages that the site depends on. */
function packageName(site: string): string {
  const name = basename(site)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return ['', 'cloister', 'node'].includes(name) ? 'site' : name;
}

function packageFile(root: string, site: string): SiteFile {
  const content = {
    name: packageName(site),
    private: true,
    scripts: { start: 'cloister start', cloister: 'cloister' },
    dependencies: {
      cloister: ownSpecifier(root, site),
      // Puts the Node that the server needs in front of that of the machine, for npm scripts.
      node: readPackage(root).devDependencies?.['node'] ?? '^26.0.0',
    },
    allowScripts: { node: true },
  };
  return { path: 'package.json', text: `${JSON.stringify(content, null, 2)}\n` };
}

async function siteFiles(root: string, site: string): Promise<readonly SiteFile[]> {
  const collections = join('workspace', 'collections');
  const names = await readdir(join(root, collections), { recursive: true });
  const schema = `../${PACKAGES}/cloister/workspace/config.schema.json`;
  return [
    packageFile(root, site),
    { path: '.gitignore', text: IGNORED },
    {
      path: join('workspace', 'config.json'),
      text: `${JSON.stringify({ $schema: schema }, null, 2)}\n`,
    },
    ...names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => {
        const path = join(collections, name);
        return { path, text: readFileSync(join(root, path), 'utf8') };
      }),
  ];
}

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Overwrites nothing; after a failure nothing of it is left but folders. */
function writeFiles(site: string, files: readonly SiteFile[]): void {
  const written: string[] = [];
  try {
    for (const { path, text } of files) {
      const file = join(site, path);
      makeFolderSync(dirname(file));
      writeFileSync(file, text, { flag: 'wx' });
      written.push(file);
    }
  } catch (error) {
    for (const file of written) rmSync(file, { force: true });
    throw error;
  }
}

/**
 * Writes the site and says how to start it. Returns 1, having written nothing, if files of it are there already. `root` is the
 * folder of the package whose example workspace is copied.
 */
export async function init(
  { folder = '' }: CommandFlags,
  io: Io,
  root = resolve(fileURLToPath(packageRoot())),
): Promise<number> {
  const site = resolve(io.cwd, folder);
  const there = ['package.json', '.gitignore', 'workspace'].filter((name) => isThere(join(site, name)));
  if (there.length > 0) {
    io.err(`cloister: init: ${folder} has ${there.join(', ')} already; nothing was written`);
    return 1;
  }
  const files = await siteFiles(root, site);
  writeFiles(site, files);
  for (const { path } of files) io.out(`created ${join(folder, path)}`);
  io.out('next:');
  if (site !== io.cwd) io.out(`  cd ${folder}`);
  io.out('  npm install');
  io.out('  npm start');
  return 0;
}
