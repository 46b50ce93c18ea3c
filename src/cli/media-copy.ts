// `cloister media copy`: the files of media collections from the folder to the bucket, or back.

import type { Config } from '../config/schema.ts';
import { missingBucketSettings } from '../config/validate-setting.ts';
import type { MediaCopy } from '../setup/cli-services.ts';
import { abortOnSignal, type Io, loadOrReport, operatorMessage } from './io.ts';
import { createProgressBar } from './output/progress-bar.ts';
import type { ProcessStreams } from './transfer.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

/** Failed files that are listed. */
const MAX_LISTED = 100;

type State = Awaited<ReturnType<MediaCopy['files']>>;
type Target = Config['media']['storage'];

interface Task {
  readonly io: Io;
  readonly ownProcess: ProcessStreams;
  readonly to: Target;
  readonly signal: AbortSignal;
}

const filesOf = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'}`;

function summary({ copied, same, failed }: State, to: Target): string {
  const parts = [
    ...(same === 0 ? [] : [`${filesOf(same)} ${same === 1 ? 'was' : 'were'} there already`]),
    ...(failed === 0 ? [] : [`${filesOf(failed)} could not be copied`]),
  ];
  return `copied ${filesOf(copied)} to ${to}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

/** Copies all files and lists those that fail. Prints a summary also when it is interrupted. */
async function copyFiles(copy: MediaCopy, { io, ownProcess, to, signal }: Task): Promise<State> {
  // Only the progress bar needs the total.
  const total = ownProcess.stderr.isTTY === true ? (await copy.measure()).bytes : undefined;
  const progress = createProgressBar(ownProcess.stderr, total, 'files');
  let state: State = { copied: 0, same: 0, failed: 0, bytes: 0 };
  const failures: string[] = [];
  try {
    state = await copy.files({
      signal,
      onProgress: (next) => {
        state = next;
        progress.update(next.bytes, next.copied + next.same + next.failed);
      },
      onFailure: (key, reason) => {
        if (failures.length < MAX_LISTED) failures.push(`${key}: ${reason}`);
      },
    });
    return state;
  } finally {
    progress.stop();
    for (const line of failures) io.err(line);
    const unlisted = state.failed - failures.length;
    if (unlisted > 0) io.err(`${filesOf(unlisted)} more could not be copied`);
    io.err(summary(state, to));
  }
}

async function updateRecords(copy: MediaCopy, { io, to, signal }: Task, isInUse: boolean): Promise<void> {
  if (!isInUse) {
    io.err(
      `records still say where the files were: set media.storage to ${to}, and repeat the command to update them`,
    );
    return;
  }
  const written = await copy.records(signal);
  io.err(`updated ${written.toLocaleString('en')} ${written === 1 ? 'record' : 'records'}`);
}

/** Copies files, and updates their records if the server uses the target. Returns 1 if a file was not copied, else 0. */
export async function mediaCopy(
  flags: CommandFlags,
  io: Io,
  ownProcess: ProcessStreams = process,
): Promise<number> {
  const fail = (reason: string) => {
    io.err(`cloister: media copy: ${reason}`);
    return 1;
  };
  const signal = abortOnSignal(ownProcess);
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { config } = loaded;
  const missing = missingBucketSettings(config);
  if (missing.length > 0) return fail(`${missing.join(', ')} must be set: one end of the copy is the bucket`);
  const to: Target = flags.to === 's3' ? 's3' : 'disk';
  const { openMediaCopy } = await import('../setup/cli-services.ts');
  const copy = await openMediaCopy(config, { cwd: io.cwd, to });
  const task = { io, ownProcess, to, signal };
  let stage = 'the media store';
  try {
    const { failed } = await copyFiles(copy, task);
    stage = 'the database';
    await updateRecords(copy, task, config.media.storage === to);
    return failed > 0 ? 1 : 0;
  } catch (error) {
    if (signal.aborted) return fail('stopped; it may be repeated');
    const reason = operatorMessage(error, stage);
    if (reason === undefined) throw error;
    return fail(reason);
  } finally {
    await copy.close();
  }
}
