// What the migration of a site has read so far, and what it will write.

import type { NamedCollection } from '../../modules/source-text/named-grants.ts';
import type { SiteEntry } from '../files/list-folder.ts';
import type { SourceFiles } from '../files/source-files.ts';
import type { ReportSection } from '../report/report.ts';

/** A collection as the new workspace has it. */
export interface MigratedCollection extends NamedCollection {
  /** Its hooks that run for requests without a token. */
  readonly openHooks: ReadonlySet<string>;
  /** Upper-case methods that need no token. */
  readonly openMethods: ReadonlySet<string>;
}

/** Files of the new workspace, by their paths in it. */
export type WrittenFiles = Map<string, string>;

/** A site under migration. */
export interface SiteContents {
  /** Absolute, without links. */
  readonly root: string;
  readonly files: SourceFiles;
  /** A line for each file. */
  readonly section: ReportSection;
  readonly written: WrittenFiles;
  /** Throws a MigrationError when the time for all of it is over. */
  assertTime(): void;
}

/** The files directly in a folder, and those further below. */
export interface FolderFiles {
  readonly folder: string;
  readonly entries: readonly SiteEntry[];
}

/** The path of an entry within its folder, by its parts. */
export function partsBelow({ folder }: FolderFiles, { path }: SiteEntry): readonly string[] {
  return path.slice(folder.length + 1).split('/');
}

/** Says of entries that are neither files nor folders why they are not read. True for these. */
export function noteSpecial(section: ReportSection, { path, kind }: SiteEntry): boolean {
  if (kind === 'link')
    section.add(path, 'hand', 'it is a link, which is not followed: put the file itself there');
  else if (kind === 'other') section.add(path, 'changed', 'left out: it is neither a file nor a folder');
  return kind === 'link' || kind === 'other';
}
