// The configuration file: read as strict JSON, restricted to its owner as it may hold secrets, and its issues with their lines.
import { readFile, stat } from 'node:fs/promises';
import { errorCodeOf } from '../errors/errors.ts';
import { GROUP_AND_OTHERS_MODE, restrictToOwner } from '../lib/files/file-operations.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';
import { describeSyntaxError, type JsonSyntaxError, parseJsonText } from '../lib/json/json-syntax.ts';

/** What is wrong with a setting, wherever it was written. */
export interface SettingIssue {
  readonly written: string;
  readonly message: string;
}

/** An issue as the operator reads it, with its place. */
export interface ConfigIssue {
  /** The setting as it was written: a dotted path, a variable or a flag. */
  readonly setting: string;
  readonly message: string;
  /** The file that holds it, if a file does. */
  readonly file?: string;
  /** Line in that file, from 1. */
  readonly line?: number;
}

/** One line for people: `workspace/config.json:3: server.port must be a whole number`. */
export function formatConfigIssue(issue: ConfigIssue): string {
  const text = `${issue.setting} ${issue.message}`.trim();
  if (issue.file === undefined) return text;
  const line = issue.line === undefined ? '' : `:${issue.line}`;
  return `${issue.file}${line}: ${text}`;
}

/** The parser with line numbers is loaded only if there is an issue. */
async function readLines(text: string) {
  const { parseLineNumbers } = await import('../lib/json/json-line-numbers.ts');
  return parseLineNumbers(text);
}

/** The issue of a file that is not JSON. */
function syntaxIssue(file: string, error: JsonSyntaxError): ConfigIssue {
  return { setting: '', file, line: error.line, message: describeSyntaxError(error, false) };
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

export interface ConfigFile {
  /** Null when there is no such file. */
  readonly text: string | null;
  readonly content: JsonObject;
  readonly issue?: ConfigIssue;
}

/** Reads the file. A missing one is empty; one that cannot be read or understood returns an issue and no content. */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const code = String(errorCodeOf(error) ?? 'unknown error');
    if (code === 'ENOENT') return { text: null, content: {} };
    return {
      text: null,
      content: {},
      issue: { setting: '', file, message: `the file cannot be read (${code})` },
    };
  }
  const parsed = parseJsonText(text);
  if ('error' in parsed) return { text, content: {}, issue: syntaxIssue(file, parsed.error) };
  if (isJsonObject(parsed.value)) return { text, content: parsed.value };
  return {
    text,
    content: {},
    issue: { setting: '', file, line: 1, message: 'the configuration must be a JSON object' },
  };
}

/** Rights that are reported on a file of another user: that user may let the server read it as a member of a group. */
const GROUP_WRITE_AND_OTHERS = 0o027;

const octal = (mode: number) => (mode & 0o777).toString(8);

/**
 * Removes the rights of group and others from a regular file of this user, by default that of the process. Returns a
 * warning when others keep rights that they should not have. A missing file is ignored, and so are modes on Windows.
 */
export async function restrictConfigFile(
  file: string,
  user = process.getuid?.(),
): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (user === undefined || found === undefined) return undefined;
  const isOurs = found.uid === user;
  if ((found.mode & (isOurs ? GROUP_AND_OTHERS_MODE : GROUP_WRITE_AND_OTHERS)) === 0) return undefined;
  if (isOurs && restrictToOwner(file)) return undefined;
  return `${file} may be read or written by others than its owner (mode ${octal(found.mode)})`;
}
