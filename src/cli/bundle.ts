// `cloister bundle`: prints or writes one file of posted code made of several.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findSetting } from '../config/setting-names.ts';
import { bundleFile } from '../migration/bundle-file.ts';
import { MigrationError } from '../migration/report/migration-error.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

/** Bytes that an upload may have, unless the operator says otherwise. */
const MAX_CODE_BYTES = Number(findSetting('limits.endpointCodeBytes')?.leaf.default);

/**
 * Returns 1, having written nothing, where something keeps the file from being posted; each is named with its line. `output` gets
 * the text as it is, where no file is named.
 */
export async function bundle(
  { path = '', out }: CommandFlags,
  io: Io,
  output: { write(text: string): unknown } = process.stdout,
): Promise<number> {
  try {
    const { text, problems, warnings } = await bundleFile(resolve(io.cwd, path), MAX_CODE_BYTES);
    for (const { id, line, message } of warnings) io.err(`warning: ${id}:${line}: ${message}`);
    for (const { id, line, message } of problems) io.err(`${id}:${line}: ${message}`);
    if (text === undefined) return 1;
    if (out === undefined) output.write(text);
    else await writeFile(resolve(io.cwd, out), text);
    return 0;
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    io.err(`cloister: bundle: ${path}: ${error.message}`);
    return 1;
  }
}
