// Finds the file of an imported name, as Node and bundlers do, in files that only the given reader opens.
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { isWithin } from '../../lib/files/containment.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { parseJsonText } from '../../lib/json/json-syntax.ts';
import type { SourceFiles } from '../files/source-files.ts';
import {
  browserSubstitute,
  exportedPath,
  type ImportKind,
  importedPath,
  mainPath,
} from './package-exports.ts';

/** A package, by the folder that its package.json is in. */
export interface FoundPackage {
  readonly folder: string;
  readonly manifest: JsonObject;
}

/** `isEmpty`: the package has an empty module in this place. */
export type Resolution =
  | { readonly file: string; readonly within: FoundPackage | undefined }
  | { readonly isEmpty: true }
  | { readonly why: string };

export interface ModuleResolver {
  /** Finds what `importer`, an absolute path, means by `name`. */
  resolve(name: string, importer: string, kind: ImportKind): Promise<Resolution>;
}

const EXTENSIONS = ['', '.js', '.cjs', '.mjs', '.json'];
const MANIFEST = 'package.json';
const MAX_MANIFEST_BYTES = 1_048_576;
/** Substitutes and aliases that follow one another. */
const MAX_STEPS = 10;
const PACKAGE_NAME = /^(@[^/\\%]+\/)?[^./\\%@][^/\\%]*/;

interface ResolverOptions {
  readonly files: SourceFiles;
  /** Absolute: packages are looked for from the importing file up to here. */
  readonly root: string;
}

const slashed = (path: string) => path.split(sep).join('/');

/** Creates a resolver. Each package.json is read once. */
export function createModuleResolver({ files, root }: ResolverOptions): ModuleResolver {
  const manifests = new Map<string, Promise<JsonObject | undefined>>();

  async function readManifest(folder: string): Promise<JsonObject | undefined> {
    const file = join(folder, MANIFEST);
    if ((await files.kindOf(file)) !== 'file') return undefined;
    const read = await files.read(file, MAX_MANIFEST_BYTES);
    const parsed = 'text' in read ? parseJsonText(read.text) : undefined;
    return parsed !== undefined && 'value' in parsed && isJsonObject(parsed.value) ? parsed.value : undefined;
  }

  function manifestOf(folder: string): Promise<JsonObject | undefined> {
    const known = manifests.get(folder) ?? readManifest(folder);
    manifests.set(folder, known);
    return known;
  }

  function foldersAbove(file: string): readonly string[] {
    const folders: string[] = [];
    for (let folder = dirname(file); isWithin(root, folder); folder = dirname(folder)) {
      folders.push(folder);
      if (folder === dirname(folder)) break;
    }
    return folders;
  }

  async function packageOf(file: string): Promise<FoundPackage | undefined> {
    for (const folder of foldersAbove(file)) {
      const manifest = await manifestOf(folder);
      if (manifest !== undefined) return { folder, manifest };
      if (folder.endsWith(`${sep}node_modules`)) return undefined;
    }
    return undefined;
  }

  async function findFile(path: string): Promise<string | undefined> {
    for (const extension of EXTENSIONS) {
      if ((await files.kindOf(path + extension)) === 'file') return files.identityOf(path + extension);
    }
    return undefined;
  }

  /** A file, or the main file of a folder. */
  async function findAt(path: string, kind: ImportKind): Promise<string | undefined> {
    const file = path.endsWith(sep) ? undefined : await findFile(path);
    if (file !== undefined) return file;
    if ((await files.kindOf(path)) !== 'folder') return undefined;
    const manifest = await manifestOf(path);
    const main = manifest === undefined ? undefined : join(path, mainPath(manifest, kind));
    const named = main === undefined || !isWithin(path, main) ? undefined : await findFile(main);
    return (
      named ??
      (main === undefined ? undefined : await findFile(join(main, 'index'))) ??
      findFile(join(path, 'index'))
    );
  }

  async function substituted(file: string, kind: ImportKind, steps: number): Promise<Resolution> {
    const within = await packageOf(file);
    const path = within === undefined ? '' : `./${slashed(relative(within.folder, file))}`;
    const other = within === undefined ? undefined : browserSubstitute(within.manifest, path);
    if (other === false) return { isEmpty: true };
    if (other === undefined || within === undefined) return { file, within };
    if (!other.startsWith('.')) return find(other, file, kind, steps + 1);
    const target = join(within.folder, other);
    return target === file ? { file, within } : found(await findAt(target, kind), other, kind, steps + 1);
  }

  function found(
    file: string | undefined,
    name: string,
    kind: ImportKind,
    steps: number,
  ): Promise<Resolution> | Resolution {
    return file === undefined ? { why: `\`${name}\` is not there` } : substituted(file, kind, steps);
  }

  async function inPackage(
    folder: string,
    path: string,
    kind: ImportKind,
    steps: number,
  ): Promise<Resolution> {
    const manifest = (await manifestOf(folder)) ?? {};
    const { exports: exported } = manifest;
    const name = slashed(path) === '.' ? '' : path.slice(1);
    if (exported === undefined || exported === null)
      return found(await findAt(join(folder, path), kind), name, kind, steps);
    const target = exportedPath(exported, path, kind);
    const file = target === undefined ? undefined : join(folder, target);
    if (file === undefined || !isWithin(folder, file))
      return { why: `the package does not offer \`${path}\`` };
    return found(await findFile(file), path, kind, steps);
  }

  async function findPackage(
    name: string,
    importer: string,
    kind: ImportKind,
    steps: number,
  ): Promise<Resolution> {
    const [bare] = PACKAGE_NAME.exec(name) ?? [];
    if (bare === undefined) return { why: `\`${name}\` names no package` };
    const path = `.${name.slice(bare.length)}`;
    for (const folder of foldersAbove(importer)) {
      if (folder.endsWith(`${sep}node_modules`)) continue;
      const candidate = join(folder, 'node_modules', bare);
      if ((await files.kindOf(candidate)) === 'folder') {
        return inPackage(await files.identityOf(candidate), path, kind, steps);
      }
    }
    return { why: `\`${bare}\` is not installed beside it: run \`npm install\` in its folder` };
  }

  async function find(name: string, importer: string, kind: ImportKind, steps: number): Promise<Resolution> {
    if (steps > MAX_STEPS) return { why: `\`${name}\` leads to itself` };
    if (isAbsolute(name) || name.includes('\0')) return { why: 'an absolute path is of one machine alone' };
    if (/^\.\.?(\/|$)/.test(name))
      return found(await findAt(normalize(join(dirname(importer), name)), kind), name, kind, steps);
    const within = await packageOf(importer);
    const substitute = within === undefined ? undefined : browserSubstitute(within.manifest, name);
    if (substitute === false) return { isEmpty: true };
    if (substitute !== undefined && within !== undefined) {
      const from = join(within.folder, MANIFEST);
      if (substitute !== name) return find(substitute, from, kind, steps + 1);
    }
    if (!name.startsWith('#')) return findPackage(name, importer, kind, steps);
    const target = importedPath(within?.manifest['imports'], name, kind);
    if (target === undefined || within === undefined)
      return { why: `\`${name}\` is not in \`imports\` of its package` };
    return find(target, join(within.folder, MANIFEST), kind, steps + 1);
  }

  return { resolve: (name, importer, kind) => find(name, importer, kind, 0) };
}
