// `cloister backup`: database, workspace, media files and audit key of the configured site into a folder.
import { resolve } from 'node:path';
import type { SiteBackup } from '../setup/backup.ts';
import { abortOnSignal, type Io, loadOrReport, operatorMessage } from './io.ts';
import { createProgressBar, type ProgressBar } from './output/progress-bar.ts';
import type { ProcessStreams } from './transfer.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

/** Lost files that are listed. */
const MAX_LISTED = 20;
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `1.4 GB` */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1000 && unit < UNITS.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `3 files, 1.4 GB` */
export function formatFiles(files: number, bytes: number): string {
  return `${files.toLocaleString('en')} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}`;
}

interface Task {
  readonly io: Io;
  readonly ownProcess: ProcessStreams;
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function run(site: SiteBackup, { io, ownProcess, folder, signal }: Task): Promise<void> {
  for (const notice of site.notices) io.err(notice);
  const total = ownProcess.stderr.isTTY === true ? await site.measure() : undefined;
  const progress: ProgressBar = createProgressBar(ownProcess.stderr, total, 'files');
  try {
    const onProgress = (files: number, bytes: number) => progress.update(bytes, files);
    const { files, bytes, lost, isSettled } = await site.run({ signal, onProgress });
    progress.stop();
    for (const key of lost.slice(0, MAX_LISTED))
      io.err(`${key}: the file of this record is lost, or was removed meanwhile`);
    if (lost.length > MAX_LISTED)
      io.err(`${(lost.length - MAX_LISTED).toLocaleString('en')} more are missing`);
    if (!isSettled) io.err('the workspace kept changing: some of its files may be newer than the database');
    io.err(`backed up ${formatFiles(files, bytes)} to ${folder}`);
  } finally {
    progress.stop();
  }
}

/** Makes the backup. Returns 1 if it failed or was interrupted, after printing the reason, else 0. */
export async function backup(
  flags: CommandFlags,
  io: Io,
  ownProcess: ProcessStreams = process,
): Promise<number> {
  const { folder = '' } = flags;
  const signal = abortOnSignal(ownProcess);
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { openSiteBackup } = await import('../setup/backup.ts');
  const place = { cwd: io.cwd, configFile: loaded.file, folder: resolve(io.cwd, folder) };
  try {
    const site = await openSiteBackup(loaded.config, place);
    await run(site, { io, ownProcess, folder, signal }).finally(() => site.close());
    return 0;
  } catch (error) {
    const reason = signal.aborted ? 'stopped; the same command goes on' : operatorMessage(error);
    if (reason === undefined) throw error;
    io.err(`cloister: backup: ${reason}`);
    return 1;
  }
}
