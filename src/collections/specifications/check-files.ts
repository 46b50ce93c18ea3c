// `cloister check` for specifications: every problem of every file, with its line, and nothing brought into force.
import { basename, relative, sep } from 'node:path';
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { type JsonLineNumbers, parseLineNumbers } from '../../lib/json/json-line-numbers.ts';
import { describeSyntaxError } from '../../lib/json/json-syntax.ts';
import type { WorkspaceFiles } from '../../stores/workspace-files.ts';
import type { Collection, CollectionRegistry } from '../model/collection.ts';
import { createCollectionRegistry } from '../model/collection-registry.ts';
import { createNearCollections } from '../model/near-collections.ts';
import { checkDefaultFilters, checkNameCase, crossCheck, warnMissingHooks } from './cross-checks.ts';
import { formatWarning } from './issue-collector.ts';
import { parseSpecification, type SpecificationOptions } from './parse-specification.ts';
import { checkRevisionUse } from './revision-checks.ts';
import {
  createSpecificationFiles,
  parseSpecificationText,
  type SpecificationFile,
} from './specification-files.ts';

type Severity = 'error' | 'warning';

export interface SpecificationIssue {
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
  readonly severity: Severity;
}

interface CheckFilesOptions extends SpecificationOptions {
  readonly workspace: WorkspaceFiles;
  /** The folder of the collection specifications. */
  readonly root: string;
  /** Names of the hooks that there are; absent: nothing is known of them. */
  readonly hooks?: ReadonlySet<string>;
  /** Gets every collection that has no errors. */
  readonly registry?: CollectionRegistry;
}

// Only the shape of a default filter is judged here, against the bounds of a fresh configuration.
const FILTER_LIMITS = { filterDepth: 8, filterNodes: 200 };

interface CheckedFile {
  readonly file: string;
  readonly lines: JsonLineNumbers | undefined;
  readonly issues: SpecificationIssue[];
}

function addIssue(page: CheckedFile, severity: Severity, path: readonly string[], message: string): void {
  const { file, lines, issues: problems } = page;
  problems.push({
    file,
    ...(lines === undefined ? {} : { line: lines.findNearest(path) }),
    message,
    severity,
  });
}

function addErrorItem(page: CheckedFile, { section, setting, field, message }: ErrorItem): void {
  // Without a section it is the path from the root, or no member of the file at all.
  const isMember = section === 'fields' || section === 'settings';
  const path = isMember ? [section, setting ?? field] : (field ?? '').split('.');
  const subject = setting ?? field;
  const text = subject === undefined ? message : `${String(subject)}: ${message}`;
  addIssue(
    page,
    'error',
    path.filter((part) => typeof part === 'string'),
    text,
  );
}

function parseFile(page: CheckedFile, { address, text }: SpecificationFile, options: CheckFilesOptions) {
  const syntax = page.lines?.syntaxError;
  if (syntax !== undefined) {
    page.issues.push({
      file: page.file,
      line: syntax.line,
      message: describeSyntaxError(syntax, false),
      severity: 'error',
    });
    return undefined;
  }
  try {
    const { collection, warnings } = parseSpecification(parseSpecificationText(text), address, options);
    for (const warning of warnings) {
      addIssue(page, 'warning', (warning.field ?? '').split('.'), formatWarning(warning));
    }
    return collection;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const item of error.items) addErrorItem(page, item);
    return undefined;
  }
}

interface AcrossFiles {
  readonly registry: CollectionRegistry;
  /** Those with which it may conflict. */
  readonly others: readonly Collection[];
  readonly hooks: ReadonlySet<string> | undefined;
}

function checkAcrossFiles(
  page: CheckedFile,
  collection: Collection,
  { registry, others, hooks }: AcrossFiles,
): void {
  const clash = checkNameCase(collection, others);
  if (clash !== undefined) addErrorItem(page, clash);
  for (const item of checkDefaultFilters(collection, registry, FILTER_LIMITS)) addErrorItem(page, item);
  for (const item of checkRevisionUse(collection, others)) addErrorItem(page, item);
  for (const { path, message } of crossCheck(collection, registry)) addIssue(page, 'warning', path, message);
  for (const { path, message } of warnMissingHooks(collection, hooks))
    addIssue(page, 'warning', path, message);
}

/** Levels below the root that are looked at for specifications in a wrong place. */
const MAX_LEVELS = 6;
const LEVELS = 3;

/** Files that are named like specifications, but are not in a folder of a database. */
async function misplacedFiles({
  workspace,
  root,
}: Pick<CheckFilesOptions, 'workspace' | 'root'>): Promise<readonly SpecificationIssue[]> {
  const misplaced = (await workspace.listAll(root, MAX_LEVELS - 1))
    .filter((file) => /^collection\..+\.json$/.test(basename(file)))
    .filter((file) => relative(root, file).split(sep).length !== LEVELS);
  const message =
    'is not read: specifications are `<version>/<database>/collection.<name>.json` below the folder of the collections';
  return misplaced.sort().map((file) => ({ file, message, severity: 'warning' }));
}

/** Checks all specification files below `root`, in the order of their paths. Empty: all is well. */
export async function checkSpecificationFiles(
  options: CheckFilesOptions,
): Promise<readonly SpecificationIssue[]> {
  const { registry = createCollectionRegistry(), hooks } = options;
  const pages: CheckedFile[] = [];
  const loaded: { readonly page: CheckedFile; readonly collection: Collection }[] = [];
  for (const found of await createSpecificationFiles(options.root, options.workspace).readAll()) {
    const { file, text } = found;
    const page: CheckedFile = {
      file,
      lines: text === undefined ? undefined : parseLineNumbers(text),
      issues: [],
    };
    pages.push(page);
    const collection = parseFile(page, found, options);
    if (collection === undefined) registry.withhold(found.address);
    if (collection === undefined) continue;
    registry.put(collection);
    loaded.push({ page, collection });
  }
  const all = createNearCollections();
  for (const collection of registry.list()) all.add(collection);
  for (const { page, collection } of loaded)
    checkAcrossFiles(page, collection, { registry, others: all.near(collection), hooks });
  return [...pages.flatMap(({ issues: problems }) => problems), ...(await misplacedFiles(options))];
}
