// Issues of the configuration: where they are, and how they read.

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
export async function syntaxIssue(file: string, text: string): Promise<ConfigIssue> {
  const { syntaxError } = await readLines(text);
  if (syntaxError === undefined) return { setting: '', file, message: 'is not valid JSON' };
  const { line, message } = syntaxError;
  return { setting: '', file, line, message: `is not valid JSON: ${message}` };
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
