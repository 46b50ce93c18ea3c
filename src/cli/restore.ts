// `cloister restore`: verifies a backup and restores it into the configured folders.
import { resolve } from 'node:path';
import { loadConfig } from '../config/load-config.ts';
import { AppError } from '../errors/errors.ts';
import type { SiteRestore } from '../setup/restore.ts';
import { formatFiles } from './backup.ts';
import { abortOnSignal, type Io, loadOrReport, operatorMessage } from './io.ts';
import { createProgressBar, type ProgressBar } from './output/progress-bar.ts';
import type { ProcessStreams } from './transfer.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

interface Task {
  readonly site: SiteRestore;
  readonly flags: CommandFlags;
  readonly io: Io;
  readonly ownProcess: ProcessStreams;
  /** Absolute path of the backup. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

type Manifest = Awaited<ReturnType<SiteRestore['verify']>>;

/** Rejects where the restored server would look for its data elsewhere. With `--config` the operator decides. */
async function assertSamePlaces({ site, flags, io }: Task): Promise<void> {
  const file = site.configFile;
  if (file === undefined || flags.config !== undefined) return;
  const env = io.env === undefined ? {} : { env: io.env };
  const backedUp = await loadConfig({ flags: { ...flags, config: file }, cwd: io.cwd, ...env });
  const items = site.differences(backedUp.config).map((message) => ({ field: 'config', message }));
  if (items.length > 0) throw new AppError('CONFIGURATION_INVALID', { items });
}

/** Runs a part of the work with a bar of its own, from the moment when its total is known. */
async function withProgress<T>(
  { ownProcess, signal }: Task,
  work: (watch: Parameters<SiteRestore['verify']>[0]) => Promise<T>,
): Promise<T> {
  let progress: ProgressBar | undefined;
  try {
    return await work({
      signal,
      onTotal: (bytes) => {
        progress = createProgressBar(ownProcess.stderr, bytes, 'files');
      },
      onProgress: (files, bytes) => progress?.update(bytes, files),
    });
  } finally {
    progress?.stop();
  }
}

const bytesOf = ({ files }: Manifest) => files.reduce((sum, { size }) => sum + size, 0);

async function run(task: Task): Promise<void> {
  const { site, flags, io, folder } = task;
  const manifest = await withProgress(task, site.verify);
  const { createdAt } = manifest.header;
  const total = bytesOf(manifest);
  io.err(`the backup of ${createdAt} is whole: ${formatFiles(manifest.files.length, total)}`);
  await assertSamePlaces(task);
  if (flags['dry-run'] === true) {
    await site.assertPossible(manifest);
    io.err('it could be restored; nothing was written');
    return;
  }
  const { files, bytes, replaced } = await withProgress(task, (watch) => {
    watch.onTotal(total);
    return site.run(manifest, watch);
  });
  for (const aside of replaced) io.err(`what was there before is in ${aside}`);
  if (manifest.files.some(({ path }) => path.startsWith('other/')))
    io.err(`files from outside of the workspace stay in ${folder}/other: put them back by hand`);
  io.err(`restored ${formatFiles(files, bytes)}`);
}

/** Restores the backup. Returns 1 if it failed or was interrupted, after printing the reason, else 0. */
export async function restore(
  flags: CommandFlags,
  io: Io,
  ownProcess: ProcessStreams = process,
): Promise<number> {
  const signal = abortOnSignal(ownProcess);
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const folder = resolve(io.cwd, flags.folder ?? '');
  const { openSiteRestore } = await import('../setup/restore.ts');
  const place = { cwd: io.cwd, folder, overwrite: flags.overwrite === true };
  try {
    const site = openSiteRestore(loaded.config, place);
    await run({ site, flags, io, ownProcess, folder, signal });
    return 0;
  } catch (error) {
    const reason = signal.aborted ? 'stopped; the same command completes it' : operatorMessage(error);
    if (reason === undefined) throw error;
    io.err(`cloister: restore: ${reason}`);
    return 1;
  }
}
