// Reads the configuration file as strict JSON, with line numbers for issues.
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

/** The parser with line numbers is loaded only if there is an issue. */
async function readLines(text: string) {
  const { parseLineNumbers: readJsonLines } = await import('../lib/json/json-line-numbers.ts');
  return readJsonLines(text);
}

async function syntaxIssue(file: string, text: string): Promise<ConfigIssue> {
  const { syntaxError } = await readLines(text);
  if (syntaxError === undefined) return { setting: '', file, message: 'is not valid JSON' };
  const { line, message } = syntaxError;
  return { setting: '', file, line, message: `is not valid JSON: ${message}` };
}

/** Reads the file. A missing one is empty; one that cannot be read or understood returns an issue and no content. */
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
    return { text, content: {}, issue: await syntaxIssue(file, text) };
  }
}

/** Adds the file and the line to issues of settings in it. */
export async function locateIssues(
  file: string,
  text: string | null,
  issues: readonly SettingIssue[],
): Promise<ConfigIssue[]> {
  if (issues.length === 0) return [];
  const lines = text === null ? undefined : await readLines(text);
  return issues.map(({ written, message }) => {
    const line = lines?.find(written.split('.'));
    return { setting: written, message, file, ...(line === undefined ? {} : { line }) };
  });
}
