// `cloister check` for specifications: every problem of every file, with its line, and nothing brought into force.
import { AppError, type ErrorItem } from '../../errors.ts';
import { type JsonLines, readJsonLines } from '../../lib/json-lines.ts';
import type { Collection } from '../collection.ts';
import { createRegistry, type Registry } from '../registry.ts';
import { checkCase, checkDefaultFilters } from './conflicts.ts';
import { createSpecificationFiles, parseSpecificationText, type SpecificationFile } from './files.ts';
import { checkNeighbours, missingHooks } from './neighbours.ts';
import { parseSpecification, type SpecificationOptions } from './specification.ts';

type Severity = 'error' | 'warning';

export interface SpecificationProblem {
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
  readonly severity: Severity;
}

interface CheckOptions extends SpecificationOptions {
  /** The folder of the collection specifications. */
  readonly root: string;
  /** Names of the hooks that there are; absent: nothing is known of them. */
  readonly hooks?: ReadonlySet<string>;
  /** Gets every collection that has no errors. */
  readonly registry?: Registry;
}

// Only the shape of a default filter is judged here, against the bounds of a fresh configuration.
const FILTER_LIMITS = { filterDepth: 8, filterNodes: 200 };

interface Page {
  readonly file: string;
  readonly lines: JsonLines | undefined;
  readonly problems: SpecificationProblem[];
}

function note(page: Page, severity: Severity, path: readonly string[], message: string): void {
  const { file, lines, problems } = page;
  problems.push({ file, ...(lines === undefined ? {} : { line: lines.lineOf(path) }), message, severity });
}

function noteItem(page: Page, { section, setting, field, message }: ErrorItem): void {
  const path = section === 'fields' || section === 'settings' ? [section, setting ?? field] : [];
  const subject = setting ?? field;
  const text = subject === undefined ? message : `${String(subject)}: ${message}`;
  note(
    page,
    'error',
    path.filter((part) => typeof part === 'string'),
    text,
  );
}

function readOne(page: Page, { address, text }: SpecificationFile, options: CheckOptions) {
  const syntax = page.lines?.syntaxError;
  if (syntax !== undefined) {
    page.problems.push({
      file: page.file,
      line: syntax.line,
      message: `is not valid JSON: ${syntax.message}`,
      severity: 'error',
    });
    return undefined;
  }
  try {
    const { collection, warnings } = parseSpecification(parseSpecificationText(text), address, options);
    for (const { field = '', message } of warnings) {
      note(page, 'warning', field.split('.'), field === '' ? message : `${field}: ${message}`);
    }
    return collection;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const item of error.items) noteItem(page, item);
    return undefined;
  }
}

function checkTogether(
  page: Page,
  collection: Collection,
  registry: Registry,
  hooks?: ReadonlySet<string>,
): void {
  const others = registry.list().filter(({ path }) => path !== collection.path);
  const clash = checkCase(collection, others);
  if (clash !== undefined) noteItem(page, clash);
  for (const item of checkDefaultFilters(collection, registry, FILTER_LIMITS)) noteItem(page, item);
  for (const { path, message } of checkNeighbours(collection, registry)) note(page, 'warning', path, message);
  for (const { path, message } of missingHooks(collection, hooks)) note(page, 'warning', path, message);
}

/** Checks all specification files below `root`, in the order of their paths. Empty: all is well. */
export async function checkSpecifications(options: CheckOptions): Promise<readonly SpecificationProblem[]> {
  const { registry = createRegistry(), hooks } = options;
  const pages: Page[] = [];
  const loaded: { readonly page: Page; readonly collection: Collection }[] = [];
  for (const found of await createSpecificationFiles(options.root).readAll()) {
    const { file, text } = found;
    const page: Page = { file, lines: text === undefined ? undefined : readJsonLines(text), problems: [] };
    pages.push(page);
    const collection = readOne(page, found, options);
    if (collection === undefined) continue;
    registry.put(collection);
    loaded.push({ page, collection });
  }
  for (const { page, collection } of loaded) checkTogether(page, collection, registry, hooks);
  return pages.flatMap(({ problems }) => problems);
}
