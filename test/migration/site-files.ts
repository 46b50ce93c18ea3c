// Folders with files for one test: a site of an older server, or a folder of code with packages.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrate } from '../../src/cli/migrate.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { filesBelow } from '../helpers/temp/folders.ts';

/** Texts as they are, anything else as JSON. */
export type SiteFiles = Readonly<Record<string, unknown>>;

export function layFiles(folder: string, files: SiteFiles): string {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return folder;
}

/** A package with one file. */
export const packageFiles = (name: string, text: string, version = '1.0.0'): SiteFiles => ({
  [`node_modules/${name}/package.json`]: { name, version, main: 'index.js' },
  [`node_modules/${name}/index.js`]: text,
});

/** Texts of all files of a folder, by path. */
export const contentsOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(filesBelow(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]));

export interface MigrationRun {
  readonly code: number;
  readonly printed: readonly string[];
  readonly complained: readonly string[];
  /** Absolute. */
  readonly out: string;
  /** Empty where nothing was written. */
  readonly report: string;
  /** The line of the report about a file or setting. */
  line(subject: string): string;
  /** The text of a file of the new workspace. */
  written(path: string): string;
}

/** Migrates `<folder>/site` into `<folder>/out`. */
export async function runMigration(
  folder: string,
  flags: { readonly env?: string; readonly out?: string; readonly site?: string } = {},
): Promise<MigrationRun> {
  const io = captureIo(folder);
  const { site = 'site', out = 'out', ...rest } = flags;
  const code = await migrate({ folder: site, out, ...rest }, io);
  const path = join(folder, out);
  const report = filesBelow(path).includes('REPORT.md') ? readFileSync(join(path, 'REPORT.md'), 'utf8') : '';
  return {
    code,
    printed: io.printed,
    complained: io.complained,
    out: path,
    report,
    line: (subject) => report.split('\n').find((line) => line.startsWith(`- \`${subject}\` `)) ?? '',
    written: (file) => readFileSync(join(path, 'workspace', file), 'utf8'),
  };
}

/** The names in a folder, with hidden ones. */
export const namesIn = (folder: string): readonly string[] => readdirSync(folder).sort();
