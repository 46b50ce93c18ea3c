// What the text of a definition file says: the definition in it, and everything that is wrong with it, with its line.

import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { findJsonIssue } from '../../lib/json/json-check.ts';
import { parseLineNumbers } from '../../lib/json/json-line-numbers.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { Definition, DefinitionIssue, DefinitionKind, FileProblem } from '../model/definition.ts';
import { baseNameOf } from './files.ts';
import { fileNameError } from './names.ts';

/** Of one file; a route of a megabyte could have tens of thousands. */
const MAX_PROBLEMS = 100;

export interface Interpreted<T> {
  /** Undefined when the file cannot be in force. */
  readonly definition: Definition<T> | undefined;
  readonly problems: readonly FileProblem[];
}

/** Gives each finding its line. */
function located(file: string, text: string, findings: readonly DefinitionIssue[]): readonly FileProblem[] {
  if (findings.length === 0) return [];
  const lines = parseLineNumbers(text);
  return findings
    .slice(0, MAX_PROBLEMS)
    .map(({ severity, message, path }) => ({ file, line: lines.findNearest(path), message, severity }));
}

function parseText(
  file: string,
  text: string,
): { readonly source: Json } | { readonly problem: FileProblem } {
  try {
    return { source: JSON.parse(text) as Json };
  } catch {
    const { line = 1, message = '' } = parseLineNumbers(text).syntaxError ?? {};
    const why = message === '' ? 'is not valid JSON' : `is not valid JSON: ${message}`;
    return { problem: { file, line, message: why, severity: 'error' } };
  }
}

function nameFindings(noun: DefinitionKind<unknown>['noun'], name: Json): readonly DefinitionIssue[] {
  const refused = typeof name === 'string' ? fileNameError(noun, name) : `${noun} must be a string`;
  return refused === undefined ? [] : [{ severity: 'error', message: refused, path: [noun] }];
}

/** Reads a file that nobody has looked at before: it may have been written by hand, or by an older server. */
export function interpretFile<T>(kind: DefinitionKind<T>, file: string, text: string): Interpreted<T> {
  const { noun } = kind;
  const refused = (findings: readonly DefinitionIssue[]) => ({
    definition: undefined,
    problems: located(file, text, findings),
  });
  const parsed = parseText(file, text);
  if ('problem' in parsed) return { definition: undefined, problems: [parsed.problem] };

  const { source } = parsed;
  const fault = findJsonIssue(source);
  if (fault !== undefined) {
    const subject = fault.path === '' ? 'the document' : fault.path;
    return refused([
      { severity: 'error', message: `${subject} ${fault.message}`, path: fault.path.split('.') },
    ]);
  }
  if (!isJsonObject(source))
    return refused([{ severity: 'error', message: 'must be a JSON object', path: [] }]);

  const name = source[noun] ?? baseNameOf(file);
  const wrongName = nameFindings(noun, name);
  if (typeof name !== 'string' || wrongName.length > 0) return refused(wrongName);

  const { value, findings } = kind.parse(source);
  if (value === undefined) return refused(findings);
  const hash = sha256Hex(JSON.stringify(source));
  return { definition: { name, source, value, hash, file }, problems: located(file, text, findings) };
}
