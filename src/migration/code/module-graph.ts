// Reads a file and all that it imports, and finds what of that cannot be in one file of posted code.
import { basename, dirname, extname, relative, sep } from 'node:path';
import { toOneLine } from '../../lib/printable-text.ts';
import { listNamedAccess, type NamedAccess } from '../../modules/source-text/named-access.ts';
import { parseCode } from '../../modules/source-text/parse-code.ts';
import type { SourceFiles } from '../files/source-files.ts';
import { listAbsentNames } from './absent-names.ts';
import { type CodeImport, listImports } from './imports.ts';
import { isServedModule, machineRemedy } from './required-modules.ts';
import { createModuleResolver, type FoundPackage, type Resolution } from './resolve-module.ts';

/** Files of one bundle, and bytes of all of them. */
export const MAX_SOURCES = 2_000;
export const MAX_SOURCE_BYTES = 8_388_608;

/** A file of the graph. */
interface SourceModule {
  /** Its name in the bundle: relative to the folder of the entry, with slashes, the same on every machine. */
  readonly id: string;
  /** Absolute. */
  readonly file: string;
  /** What the bundler gets. */
  readonly text: string;
  /** Where it is a file of a package: its name and version. */
  readonly packageName: string | undefined;
  /** True for the syntax of ES modules. */
  readonly isModule: boolean;
  /** What it names of the outside; undefined for JSON and for files of packages, of which nobody can tell. */
  readonly access: NamedAccess | undefined;
}

/** A file of the graph before it is parsed. */
type SourceFile = Omit<SourceModule, 'isModule' | 'access'>;

/** Something that keeps a file from being bundled, or a remark on it. */
export interface GraphIssue {
  readonly id: string;
  /** From 1. */
  readonly line: number;
  /** One sentence without a full stop. */
  readonly message: string;
}

export interface ModuleGraph {
  /** The entry first. */
  readonly modules: readonly SourceModule[];
  /** The id of the module that an importer means by a name; null for an empty one. Absent: it stays a `require`. */
  targetOf(importer: string, name: string): string | null | undefined;
  /** Why there can be no bundle. */
  readonly problems: readonly GraphIssue[];
  readonly warnings: readonly GraphIssue[];
  /** Names that stay a `require`, sorted. */
  readonly external: readonly string[];
}

const PACKAGES = `${sep}node_modules${sep}`;
const SCRIPTS: ReadonlySet<string> = new Set(['.js', '.cjs', '.mjs', '']);

/** Names files without the folders of the machine. */
function createNames(entry: string): (file: string) => string {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  return (file) => {
    const known = ids.get(file);
    if (known !== undefined) return known;
    const at = file.lastIndexOf(PACKAGES);
    const way = at < 0 ? relative(dirname(entry), file) : file.slice(at + 1);
    const plain = way.split(sep).join('/');
    let id = plain;
    for (let count = 2; taken.has(id); count += 1) id = `${plain}?${count}`;
    ids.set(file, id);
    taken.add(id);
    return id;
  };
}

function packageNameOf(file: string, within: FoundPackage | undefined): string | undefined {
  if (within === undefined || !file.includes(PACKAGES)) return undefined;
  const { name, version } = within.manifest;
  const shown = typeof name === 'string' ? name : basename(within.folder);
  return toOneLine(typeof version === 'string' ? `${shown} ${version}` : shown);
}

/** JSON as a module, whatever its keys are called. */
function jsonModule(text: string): { readonly text: string } | { readonly why: string } {
  try {
    return { text: `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(text)))});\n` };
  } catch {
    return { why: 'it is not valid JSON' };
  }
}

const namedImport = (name: string) => `\`${toOneLine(name)}\``;

interface GraphOptions {
  readonly files: SourceFiles;
  /** Packages are looked for up to this folder. */
  readonly root: string;
  /** Called for each import, of which strangers may write as many as they like; throws when there is no time left. */
  readonly assertTime?: () => void;
}

class GraphReader {
  readonly modules: SourceModule[] = [];
  readonly problems: GraphIssue[] = [];
  readonly warnings: GraphIssue[] = [];
  readonly external = new Set<string>();
  readonly targets = new Map<string, Map<string, string | null>>();
  readonly #files: SourceFiles;
  readonly #nameOf: (file: string) => string;
  readonly #resolver: ReturnType<typeof createModuleResolver>;
  readonly #waiting: { readonly file: string; readonly within: FoundPackage | undefined }[] = [];
  readonly #seen = new Set<string>();
  #bytes = 0;

  readonly #assertTime: () => void;

  constructor({ files, root, assertTime = () => undefined }: GraphOptions, entry: string) {
    this.#assertTime = assertTime;
    this.#files = files;
    this.#nameOf = createNames(entry);
    this.#resolver = createModuleResolver({ files, root });
    this.#add(entry, undefined);
  }

  async read(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#readModule(next.file, next.within);
    }
  }

  #add(file: string, within: FoundPackage | undefined): string {
    const id = this.#nameOf(file);
    if (!this.#seen.has(file)) this.#waiting.push({ file, within });
    this.#seen.add(file);
    return id;
  }

  #addProblem(id: string, message: string, line = 1): void {
    this.problems.push({ id, line, message });
  }

  async #readModule(file: string, within: FoundPackage | undefined): Promise<void> {
    const id = this.#nameOf(file);
    if (this.modules.length === MAX_SOURCES) {
      this.#waiting.length = 0;
      this.#addProblem(id, `there are more than ${MAX_SOURCES} files in it`);
      return;
    }
    const read = await this.#files.read(file);
    if ('why' in read) {
      this.#addProblem(id, read.why);
      return;
    }
    this.#bytes += Buffer.byteLength(read.text);
    if (this.#bytes > MAX_SOURCE_BYTES) {
      this.#waiting.length = 0;
      this.#addProblem(id, `its files have more than ${MAX_SOURCE_BYTES} bytes`);
      return;
    }
    await this.#readText({ id, file, text: read.text, packageName: packageNameOf(file, within) });
  }

  async #readText(source: SourceFile): Promise<void> {
    const { id, file, text } = source;
    if (extname(file) === '.json') {
      const json = jsonModule(text);
      if ('why' in json) this.#addProblem(id, json.why);
      else this.modules.push({ ...source, text: json.text, isModule: false, access: undefined });
      return;
    }
    if (!SCRIPTS.has(extname(file))) {
      this.#addProblem(id, 'it is not JavaScript');
      return;
    }
    const code = parseCode(text);
    if ('message' in code) {
      this.#addProblem(id, code.message, code.line);
      return;
    }
    const isOwn = !file.includes(PACKAGES);
    const access = isOwn ? listNamedAccess(code) : undefined;
    // What packages ask for, most of them can do without.
    if (isOwn) this.warnings.push(...listAbsentNames(code).map((issue) => ({ id, ...issue })));
    this.modules.push({ ...source, isModule: code.isModule, access });
    for (const found of listImports(code)) await this.#readImport(source, found);
  }

  async #readImport({ id, file }: SourceFile, found: CodeImport): Promise<void> {
    const { name, line, kind, isOptional } = found;
    this.#assertTime();
    if (name === undefined) {
      this.warnings.push({
        id,
        line,
        message: 'a name that is computed cannot be bundled: requiring it fails',
      });
      return;
    }
    const resolution = isServedModule(name) ? undefined : await this.#resolver.resolve(name, file, kind);
    if (resolution === undefined) this.external.add(name);
    else this.#note(id, found, name, resolution);
    if (resolution !== undefined && 'why' in resolution && !isOptional) {
      const remedy = machineRemedy(name);
      const message =
        remedy === undefined ? resolution.why : `${namedImport(name)} reaches the machine: ${remedy}`;
      this.#addProblem(id, toOneLine(message), line);
    }
  }

  #note(id: string, { isOptional }: CodeImport, name: string, resolution: Resolution): void {
    if ('why' in resolution) {
      if (isOptional) this.external.add(name);
      return;
    }
    const target = 'isEmpty' in resolution ? null : this.#add(resolution.file, resolution.within);
    const known = this.targets.get(id) ?? new Map<string, string | null>();
    this.targets.set(id, known.set(name, target));
  }
}

/** Reads the graph of `entry`, an absolute path. Rejects with what `assertTime` throws. */
export async function readModuleGraph(entry: string, options: GraphOptions): Promise<ModuleGraph> {
  const reader = new GraphReader(options, entry);
  await reader.read();
  const { modules, problems, warnings, external, targets } = reader;
  return {
    modules,
    problems,
    warnings,
    external: [...external].sort(),
    targetOf: (importer, name) => targets.get(importer)?.get(name),
  };
}
