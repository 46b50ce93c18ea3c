// What is wrong with a configuration, with where it was written, and how that is said in one line.

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
