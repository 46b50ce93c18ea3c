// Watches the module files and applies edits that somebody made by hand: new code, a new policy, or a deletion. An invalid file
// changes nothing and is logged. The watch starts before the files are loaded; edits wait until all are loaded.
import { setTimeout } from 'node:timers/promises';
import { AppError, isStoreUnavailable } from '../../errors/errors.ts';
import { createRetrier, type Pause } from '../../lib/async/retry.ts';
import type { Log } from '../../lib/logger.ts';
import { type ModuleAddress, moduleAuditEntry, moduleKey } from '../model/module-types.ts';
import type { CodeValidator } from '../versions/code-validation.ts';
import type { VersionRecord } from '../versions/module-records.ts';
import { withActiveVersion } from '../versions/state-transitions.ts';
import type { FileText, ModuleFile } from './module-files.ts';
import {
  activateVersion,
  assertModulePaths,
  createVersionRecord,
  loadCurrentPolicy,
  type NewCode,
  type PublishDeps,
  parsePolicyText,
} from './publish-steps.ts';
import { applyPolicyFromFile } from './put-policy.ts';
import { type RemoveModuleDeps, removeDeletedModule } from './stop-module.ts';

// Some editors remove a file before they write it again.
const DELETION_DELAY_MS = 300;

export interface FileEditDeps extends PublishDeps {
  readonly validator: CodeValidator;
  readonly logs: RemoveModuleDeps['logs'];
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/**
 * Applies the edit of a file, unless this process wrote it. Never rejects. Resolves to false where the store is unavailable:
 * then the edit is to be applied again.
 */
async function applyFileEdit(deps: FileEditDeps, edited: ModuleFile): Promise<boolean> {
  try {
    return await deps.locks.withModule(edited.address, () => applyUnderLock(deps, edited));
  } catch (error) {
    // Another process has held the lock for too long: the file is not read yet.
    if (isStoreUnavailable(error)) return false;
    throw error;
  }
}

async function applyUnderLock(deps: FileEditDeps, { address, part, file }: ModuleFile): Promise<boolean> {
  const { files, log } = deps;
  try {
    const text = await files.readIfChanged(address, part);
    if (text === undefined) return true;
    await (part === 'code' ? applyCodeEdit : applyPolicyEdit)(deps, address, text);
    log.info({ file }, text.state === 'absent' ? 'file deletion applied' : 'file edit applied');
  } catch (error) {
    if (isStoreUnavailable(error)) {
      files.invalidate(address, part);
      return false;
    }
    logRejectedFile(deps, file, error);
  }
  return true;
}

async function applyCodeEdit(deps: FileEditDeps, address: ModuleAddress, text: FileText): Promise<void> {
  if (text.state === 'unreadable') throw unreadableFileError(text.why);
  if (text.state === 'absent') return applyDeletedCode(deps, address);
  return applyChangedCode(deps, address, text.text);
}

async function applyPolicyEdit(deps: FileEditDeps, address: ModuleAddress, text: FileText): Promise<void> {
  if (text.state === 'unreadable') throw unreadableFileError(text.why);
  const { policies } = deps;
  const policy = text.state === 'absent' ? policies.empty : await parsePolicyText(policies, text.text);
  await applyPolicyFromFile(deps, address, policy);
}

async function applyChangedCode(deps: FileEditDeps, address: ModuleAddress, text: string): Promise<void> {
  const { validator, states, log } = deps;
  const key = moduleKey(address);
  const entry = states.get(key);
  if (entry?.source === text && entry.fileErrors.code === undefined) return;
  const source = validator.normalizeText(text);
  const isolation = entry?.policy.resolve(key, false).isolation ?? 'realm';
  const { metadata, warnings } = await validator.inspect(source, address.kind, isolation);
  const action = entry === undefined ? 'create' : 'replace';
  await publishFromFile(deps, { address, source, metadata, action });
  for (const warning of warnings) log.warn({ module: key, warning }, 'code warning');
}

async function applyDeletedCode(deps: FileEditDeps, address: ModuleAddress): Promise<void> {
  const { states, files } = deps;
  // A module that waits for its first approval has no file.
  if (states.get(moduleKey(address))?.source === undefined) return;
  await setTimeout(DELETION_DELAY_MS);
  const text = await files.read(address, 'code');
  if (text.state === 'absent') return removeDeletedModule(deps, address);
  if (text.state === 'text') return applyChangedCode(deps, address, text.text);
}

/** Publishes the code of a file. An invalid policy goes on to stop the module. */
export function publishFromFile(deps: PublishDeps, code: Omit<NewCode, 'actor'>): Promise<VersionRecord> {
  const { states, records, locks } = deps;
  const { address, source, action } = code;
  const key = moduleKey(address);
  return locks.withPaths(async () => {
    assertModulePaths(deps, address, code.metadata);
    const { policy = await loadCurrentPolicy(deps, address), fileErrors = {} } = states.get(key) ?? {};
    const { code: _, ...otherErrors } = fileErrors;
    const record = await createVersionRecord(deps, { ...code, actor: null }, { policy: null, under: policy });
    const before = states.getState(key).active?.sha256 ?? null;
    const auditEntry = moduleAuditEntry({ address, action, actor: null, before, after: record.sha256 });
    const stored = withActiveVersion(states.getState(key), record);
    await records.addVersion(stored, { record, source }, auditEntry);
    activateVersion(deps, address, record, { source, policy, fileErrors: otherErrors });
    return record;
  });
}

/** Logs why a file is not active: its issues, or an error of the store or the file system. */
export function logRejectedFile({ log }: { log: Pick<Log, 'error'> }, file: string, error: unknown): void {
  if (error instanceof AppError) log.error({ file, problems: error.items }, 'file rejected');
  else log.error({ file, err: error }, 'could not apply file');
}

const unreadableFileError = (why: string) =>
  new AppError('ENDPOINT_INVALID', { message: `The file cannot be read: ${why}` });

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
