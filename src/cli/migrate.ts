// `cloister migrate`: makes a site of the folder of an older server, and says what is left to do.
import { resolve } from 'node:path';
import { migrateSite } from '../migration/migrate-site.ts';
import { MigrationError } from '../migration/report/migration-error.ts';
import type { Io } from './io.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

const DEFAULT_OUT = 'migrated';

/** Returns 1 where something needs a hand, or nothing could be written. */
export async function migrate(
  { folder = '', out = DEFAULT_OUT, env }: CommandFlags,
  io: Io,
): Promise<number> {
  try {
    const { hands, steps } = await migrateSite({
      site: resolve(io.cwd, folder),
      out: resolve(io.cwd, out),
      shownOut: out,
      env,
      now: Date.now,
    });
    io.out(`wrote ${out}: workspace, .env, REPORT.md`);
    const lines =
      hands === 1 ? '1 line of REPORT.md needs a hand' : `${hands} lines of REPORT.md need a hand`;
    io.out(hands === 0 ? 'nothing needs a hand' : lines);
    io.out('next:');
    for (const step of steps) io.out(`  ${step}`);
    return hands === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    io.err(`cloister: migrate: ${folder}: ${error.message}`);
    return 1;
  }
}
