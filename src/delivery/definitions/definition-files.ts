// Files of definitions: finds, reads and parses them, one JSON document each.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { errorCodeOf, isFileMissing, listNames } from '../../lib/files/file-operations.ts';
import { findJsonIssue, isJsonObject, type Json } from '../../lib/json/json.ts';
import { parseLineNumbers } from '../../lib/json/json-line-numbers.ts';
import { describeSyntaxError, parseJsonText } from '../../lib/json/json-syntax.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { Definition, DefinitionFileIssue, DefinitionIssue, DefinitionKind } from './definition.ts';
import { findFileNameError } from './definition-names.ts';

/** Bytes of one file. */
export const MAX_DEFINITION_BYTES = 1_048_576;

const EXTENSION = '.json';
const BYTE_ORDER_MARK = '\uFEFF';

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
export async function listDefinitionFiles(folder: string): Promise<readonly string[]> {
  return (await listNames(folder)).map((name) => join(folder, name)).filter(isDefinitionFile);
}

async function readAtMost(handle: FileHandle): Promise<DefinitionFileContent> {
  const stats = await handle.stat();
  if (!stats.isFile()) return { state: 'unreadable', message: 'is no regular file and is ignored' };
  const buffer = Buffer.alloc(Math.min(stats.size, MAX_DEFINITION_BYTES) + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > MAX_DEFINITION_BYTES) {
    return { state: 'unreadable', message: `is longer than ${MAX_DEFINITION_BYTES} bytes and is ignored` };
  }
  const text = buffer.toString('utf8', 0, length);
  return { state: 'text', text: text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text };
}

/** Reads a file, but follows no link and opens no pipe: who may write here may not read elsewhere through the server. */
export async function readDefinitionFile(file: string): Promise<DefinitionFileContent> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readAtMost(handle);
  } catch (error) {
    if (isFileMissing(error)) return { state: 'missing' };
    const code = String(errorCodeOf(error) ?? 'unknown error');
    if (code === 'ELOOP' || code === 'EMLINK') {
      return { state: 'unreadable', message: 'is a symbolic link and is ignored' };
    }
    return { state: 'unreadable', message: `cannot be read: ${code}` };
  } finally {
    await handle?.close();
  }
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
