// The configuration file: read as strict JSON, with line numbers for whatever is wrong in it.
import { readFile } from 'node:fs/promises';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';
import type { ConfigIssue } from './config-issue.ts';
import type { SettingIssue } from './flatten.ts';

export interface ConfigFile {
  /** Null when there is no such file. */
  readonly text: string | null;
  readonly content: JsonObject;
  readonly issue?: ConfigIssue;
}

/** Node's code for a failed file operation, such as `ENOENT`. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** Positions are only looked up when something is wrong, so their parser is only loaded then. */
async function readLines(text: string) {
  const { parseLineNumbers: readJsonLines } = await import('../lib/json/json-line-numbers.ts');
  return readJsonLines(text);
}

async function syntaxProblem(file: string, text: string): Promise<ConfigIssue> {
  const { syntaxError } = await readLines(text);
  if (syntaxError === undefined) return { setting: '', file, message: 'is not valid JSON' };
  const { line, message } = syntaxError;
  return { setting: '', file, line, message: `is not valid JSON: ${message}` };
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
      issue: { setting: '', file, message: `the file cannot be read (${code})` },
    };
  }
  try {
    const content: unknown = JSON.parse(text);
    if (isJsonObject(content)) return { text, content };
    return {
      text,
      content: {},
      issue: { setting: '', file, line: 1, message: 'the configuration must be a JSON object' },
    };
  } catch {
    return { text, content: {}, issue: await syntaxProblem(file, text) };
  }
}

/** Adds file and line to remarks about settings written in it. */
export async function locateIssues(
  file: string,
  text: string | null,
  remarks: readonly SettingIssue[],
): Promise<ConfigIssue[]> {
  if (remarks.length === 0) return [];
  const lines = text === null ? undefined : await readLines(text);
  return remarks.map(({ written, message }) => {
    const line = lines?.find(written.split('.'));
    return { setting: written, message, file, ...(line === undefined ? {} : { line }) };
  });
}
