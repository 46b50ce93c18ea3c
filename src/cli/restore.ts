// `cloister restore`: verifies a backup and restores it into the configured folders.
import { resolve } from 'node:path';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { AppError } from '../errors/errors.ts';
import { abortOnSignal, formatFiles } from './backup.ts';
import { type Io, operatorMessage } from './io.ts';
import { loadOrReport } from './load-or-report.ts';
import type { CommandFlags } from './parse-arguments.ts';
import { createProgressBar } from './progress-bar.ts';
import type { ProcessStreams } from './transfer.ts';

interface Task {
  readonly config: Config;
  readonly flags: CommandFlags;
  readonly io: Io;
  readonly host: ProcessStreams;
  /** Absolute path of the backup. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

type Services = typeof import('../setup/restore.ts');
type Manifest = Awaited<ReturnType<Services['verifyBackup']>>;

/** Rejects where the restored server would look for its data elsewhere. With `--config` the operator decides. */
async function assertSamePlaces(services: Services, { config, flags, io, folder }: Task): Promise<void> {
  const file = services.backedUpConfigFile(folder);
  if (file === undefined || flags.config !== undefined) return;
  const env = io.env === undefined ? {} : { env: io.env };
  const backedUp = await loadConfig({ flags: { ...flags, config: file }, cwd: io.cwd, ...env });
  const items = services
    .placeDifferences(config, backedUp.config, io.cwd)
    .map((message) => ({ field: 'config', message }));
  if (items.length > 0) throw new AppError('CONFIGURATION_INVALID', { items });
}

/** Runs a part of the work with a bar of its own. */
async function withProgress<T>(
  { host, signal }: Task,
  total: number | undefined,
  work: (watch: {
    readonly signal: AbortSignal;
    readonly onProgress: (files: number, bytes: number) => void;
  }) => Promise<T>,
): Promise<T> {
  const progress = createProgressBar(host.stderr, total, 'files');
  try {
    return await work({ signal, onProgress: (files, bytes) => progress.update(bytes, files) });
  } finally {
    progress.stop();
  }
}

const bytesOf = ({ files }: Manifest) => files.reduce((sum, { size }) => sum + size, 0);

async function run(services: Services, task: Task): Promise<void> {
  const { config, flags, io, folder } = task;
  const overwrite = flags.overwrite === true;
  const manifest = await withProgress(task, undefined, (watch) => services.verifyBackup(folder, watch));
  const { createdAt } = manifest.header;
  const total = bytesOf(manifest);
  io.err(`the backup of ${createdAt} is whole: ${formatFiles(manifest.files.length, total)}`);
  await assertSamePlaces(services, task);
  if (flags['dry-run'] === true) {
    await services.assertRestorable(config, manifest, { cwd: io.cwd, overwrite });
    io.err('it could be restored; nothing was written');
    return;
  }
  const place = { cwd: io.cwd, folder, overwrite };
  const { files, bytes, replaced } = await withProgress(task, total, (watch) =>
    services.restoreSite(config, manifest, { place, watch }),
  );
  for (const aside of replaced) io.err(`what was there before is in ${aside}`);
  if (manifest.files.some(({ path }) => path.startsWith('other/')))
    io.err(`files from outside of the workspace stay in ${folder}/other: put them back by hand`);
  io.err(`restored ${formatFiles(files, bytes)}`);
}

/** Restores the backup. Returns 1 if it failed or was interrupted, after printing the reason, else 0. */
export async function restore(flags: CommandFlags, io: Io, host: ProcessStreams = process): Promise<number> {
  const signal = abortOnSignal(host);
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const folder = resolve(io.cwd, flags.folder ?? '');
  const services = await import('../setup/restore.ts');
  try {
    await run(services, { config: loaded.config, flags, io, host, folder, signal });
    return 0;
  } catch (error) {
    const reason = signal.aborted ? 'stopped; the same command completes it' : operatorMessage(error);
    if (reason === undefined) throw error;
    io.err(`cloister: restore: ${reason}`);
    return 1;
  }
}
