// The configuration file: reads strict JSON, and restricts the file, which may contain secrets, to its owner.

import { readFile, stat } from 'node:fs/promises';
import { GROUP_AND_OTHERS_MODE, restrictToOwner } from '../lib/files/file-operations.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';
import { type ConfigIssue, syntaxIssue } from './config-issues.ts';

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
