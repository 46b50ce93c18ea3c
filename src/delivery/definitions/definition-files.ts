// Files of definitions: finds, reads and parses them, one JSON document each.

import { basename, extname, join } from 'node:path';
import { findJsonIssue, isJsonObject, type Json } from '../../lib/json/json.ts';
import { parseLineNumbers } from '../../lib/json/json-line-numbers.ts';
import { describeSyntaxError, parseJsonText } from '../../lib/json/json-syntax.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { WorkspaceFiles } from '../../stores/workspace-files.ts';
import type { Definition, DefinitionFileIssue, DefinitionIssue, DefinitionKind } from './definition.ts';
import { findFileNameError } from './definition-names.ts';

/** Bytes of one file. */
export const MAX_DEFINITION_BYTES = 1_048_576;

const EXTENSION = '.json';

/** What a file is now. `unreadable`: something that is never read or written, with the reason. */
export type DefinitionFileContent =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly message: string }
  | { readonly state: 'text'; readonly text: string };

/** Whether a file of this name is meant to be a definition: hidden files are those of editors. */
export function isDefinitionFile(file: string): boolean {
  return extname(file) === EXTENSION && !basename(file).startsWith('.');
}

/** The name that a file gives to a definition without one. */
export const definitionNameOf = (file: string) => basename(file, EXTENSION);

export const definitionFilePath = (folder: string, name: string) => join(folder, name + EXTENSION);

/** The files of definitions in a folder, sorted; none where there is no such folder. */
export async function listDefinitionFiles(
  workspace: Pick<WorkspaceFiles, 'list'>,
  folder: string,
): Promise<readonly string[]> {
  return (await workspace.list(folder, 0)).filter(isDefinitionFile);
}

/** Reads a file, but follows no link and opens no pipe: who may write here may not read elsewhere through the server. */
export async function readDefinitionFile(
  workspace: Pick<WorkspaceFiles, 'read'>,
  file: string,
): Promise<DefinitionFileContent> {
  const content = await workspace.read(file, { maxBytes: MAX_DEFINITION_BYTES, followLinks: false });
  if (content.state === 'absent') return { state: 'missing' };
  // A byte order mark, which editors add, is left out.
  if (content.state === 'bytes') return { state: 'text', text: new TextDecoder().decode(content.bytes) };
  const failed = `cannot be read: ${content.code}`;
  const messages = {
    'no-file': 'is no regular file and is ignored',
    'too-long': `is longer than ${MAX_DEFINITION_BYTES} bytes and is ignored`,
    link: 'is a symbolic link and is ignored',
    failed,
    exhausted: failed,
  };
  return { state: 'unreadable', message: messages[content.reason] };
}

/** Of one file; a route of a megabyte could have tens of thousands. */
const MAX_PROBLEMS = 100;

export interface ParsedDefinitionFile<T> {
  /** Undefined when the file cannot be in force. */
  readonly definition: Definition<T> | undefined;
  readonly problems: readonly DefinitionFileIssue[];
}

/** Gives each issue its line. */
function located(
  file: string,
  text: string,
  issues: readonly DefinitionIssue[],
): readonly DefinitionFileIssue[] {
  if (issues.length === 0) return [];
  const lines = parseLineNumbers(text);
  return issues
    .slice(0, MAX_PROBLEMS)
    .map(({ severity, message, path }) => ({ file, line: lines.findNearest(path), message, severity }));
}

function parseText(
  file: string,
  text: string,
): { readonly source: Json } | { readonly problem: DefinitionFileIssue } {
  const parsed = parseJsonText(text);
  if ('value' in parsed) return { source: parsed.value };
  const message = describeSyntaxError(parsed.error, false);
  return { problem: { file, line: parsed.error.line, message, severity: 'error' } };
}

function nameIssues(noun: DefinitionKind<unknown>['noun'], name: Json): readonly DefinitionIssue[] {
  const refused = typeof name === 'string' ? findFileNameError(noun, name) : `${noun} must be a string`;
  return refused === undefined ? [] : [{ severity: 'error', message: refused, path: [noun] }];
}

/** Reads a file that nobody has looked at before: it may have been written by hand, or by an older server. */
export function parseDefinitionFile<T>(
  kind: DefinitionKind<T>,
  file: string,
  text: string,
): ParsedDefinitionFile<T> {
  const { noun } = kind;
  const refused = (issues: readonly DefinitionIssue[]) => ({
    definition: undefined,
    problems: located(file, text, issues),
  });
  const parsed = parseText(file, text);
  if ('problem' in parsed) return { definition: undefined, problems: [parsed.problem] };

  const { source } = parsed;
  const issue = findJsonIssue(source);
  if (issue !== undefined) {
    const subject = issue.path === '' ? 'the document' : issue.path;
    return refused([
      { severity: 'error', message: `${subject} ${issue.message}`, path: issue.path.split('.') },
    ]);
  }
  if (!isJsonObject(source))
    return refused([{ severity: 'error', message: 'must be a JSON object', path: [] }]);

  const name = source[noun] ?? definitionNameOf(file);
  const wrongName = nameIssues(noun, name);
  if (typeof name !== 'string' || wrongName.length > 0) return refused(wrongName);

  const { value, issues } = kind.parse(source);
  if (value === undefined) return refused(issues);
  const hash = sha256Hex(JSON.stringify(source));
  return { definition: { name, source, value, hash, file }, problems: located(file, text, issues) };
}
