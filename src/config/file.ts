// The configuration file: read as strict JSON, with line numbers for whatever is wrong in it.
import { readFile } from 'node:fs/promises';
import type { ParseError } from 'jsonc-parser';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { Remark } from './flatten.ts';
import type { ConfigProblem } from './problems.ts';

export interface ConfigFile {
  /** Null when there is no such file. */
  readonly text: string | null;
  readonly content: JsonObject;
  readonly problem?: ConfigProblem;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Node's code for a failed file operation, such as `ENOENT`. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

async function syntaxProblem(file: string, text: string): Promise<ConfigProblem> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowEmptyContent: false });
  const first = errors[0];
  if (first === undefined) return { setting: '', file, message: 'is not valid JSON' };
  const what = printParseErrorCode(first.error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return { setting: '', file, line: lineAt(text, first.offset), message: `is not valid JSON: ${what}` };
}

/** Reads the file. A missing one is empty; one that cannot be read or understood gives a problem and no content. */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return { text: null, content: {} };
    return {
      text: null,
      content: {},
      problem: { setting: '', file, message: `the file cannot be read (${code})` },
    };
  }
  try {
    const content: unknown = JSON.parse(text);
    if (isJsonObject(content)) return { text, content };
    return {
      text,
      content: {},
      problem: { setting: '', file, line: 1, message: 'the configuration must be a JSON object' },
    };
  } catch {
    return { text, content: {}, problem: await syntaxProblem(file, text) };
  }
}

/** Adds file and line to remarks about settings written in it. */
export async function locate(
  file: string,
  text: string | null,
  remarks: readonly Remark[],
): Promise<ConfigProblem[]> {
  if (remarks.length === 0) return [];
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const tree = text === null ? undefined : parseTree(text);
  return remarks.map(({ written, message }) => {
    const keys = written.split('.');
    const node = tree === undefined ? undefined : findNodeAtLocation(tree, keys);
    const line = node === undefined || text === null ? {} : { line: lineAt(text, node.offset) };
    return { setting: written, message, file, ...line };
  });
}
