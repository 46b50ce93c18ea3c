// Watches the module files and applies edits. The watch starts before the files are loaded; edits wait until all are loaded.
import { createRetrier, type Pause } from '../../lib/async/retry.ts';
import { applyFileEdit, type FileEditDeps } from './file-edits.ts';
import type { ModuleFile } from './module-files.ts';

interface FileWatchOptions {
  readonly pause: Pause;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
}

export interface FileWatch {
  start(): Promise<void>;
  /** Applies edits as soon as the rest of the loading has ended. */
  applyAfter(loading: Promise<void>): void;
  /** Stops the watch, and resolves when the edits under way are applied. */
  close(): Promise<void>;
}

export function createFileWatch(deps: FileEditDeps, { pause, signal }: FileWatchOptions): FileWatch {
  const { files, log } = deps;
  const edits = new Set<Promise<void>>();
  const loaded = Promise.withResolvers<boolean>();
  let loadingEnded: Promise<void> = Promise.resolve();
  let started: Promise<void> | undefined;
  let stop: () => Promise<void> = async () => {};

  const apply = createRetrier<ModuleFile>({
    task: (file) => applyFileEdit(deps, file),
    keyOf: ({ file }) => file,
    onRetry: ({ file }) => log.warn({ file }, 'file edit waits for the database'),
    pause,
    signal,
  });
  const onFile = (file: ModuleFile) => {
    const applied = loaded.promise.then((isLoaded) => (isLoaded ? apply(file) : undefined));
    const edit = applied.finally(() => edits.delete(edit));
    edits.add(edit);
  };
  const onWatchError = (error: unknown) =>
    log.error({ err: error }, 'cannot watch endpoint and hook files; edits need a restart');

  return {
    start() {
      started ??= files.watch(onFile, onWatchError).then((close) => {
        stop = close;
      }, onWatchError);
      return started;
    },
    applyAfter(loading) {
      loadingEnded = loading
        .catch((error: unknown) => log.error({ err: error }, 'could not load all modules'))
        .then(() => loaded.resolve(true));
    },
    async close() {
      await stop();
      await loadingEnded;
      // Edits from before the loading are found by the next start.
      loaded.resolve(false);
      await Promise.all(edits);
    },
  };
}
