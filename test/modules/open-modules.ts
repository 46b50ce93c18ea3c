// A module service over a real store and real folders, with a stand-in for the sandbox that reads code as text.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Inspection } from '../../sandbox/protocol.ts';
import { createAudit } from '../../src/auth/audit/audit.ts';
import type { Collection } from '../../src/collections/model/collection.ts';
import { createCollectionRegistry } from '../../src/collections/model/collection-registry.ts';
import type { Pause } from '../../src/lib/async/retry.ts';
import { packageRoot } from '../../src/lib/files/package-files.ts';
import type { ReviewMode } from '../../src/modules/lifecycle/review.ts';
import type { ModuleAddress } from '../../src/modules/model/module-types.ts';
import { createModuleService, type ModuleServiceDeps } from '../../src/modules/module-service.ts';
import { loadPolicyLimits, type PolicyLimits } from '../../src/modules/policy/policy-limits.ts';
import type { Sandbox } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { createFolderWorkspace } from '../../src/stores/folder-workspace.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { silentLog } from '../helpers/fixtures/specifications.ts';
import { acceptedInspection } from '../helpers/sandbox/inspection.ts';
import { auditFolder } from '../helpers/store/audit-log.ts';
import { soleCoordination } from '../helpers/store/coordination.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

export const packaged = await loadPolicyLimits(new URL('sandbox/', packageRoot()));

export const endpoint = (name: string, apiVersion = '1.0'): ModuleAddress => ({
  kind: 'endpoint',
  apiVersion,
  name,
});
export const hook = (name: string): ModuleAddress => ({ kind: 'hook', name });

/** Code for `createReader`: JSON in a comment says what inspecting it finds. */
export const code = (found: Partial<Extract<Inspection, { ok: true }>> = {}, rest = '') =>
  `// ${JSON.stringify(found)}\n${rest}`;

/** What a sandbox would find: `syntax` and `load` fail, everything else is read from the comment. */
function read(source: string): Inspection {
  const failed = { ok: false, line: 1, column: 2 } as const;
  if (source.includes('syntax')) return { ...failed, code: 'ENDPOINT_SYNTAX', message: 'Unexpected token' };
  if (source.includes('load')) return { ...failed, code: 'ENDPOINT_LOAD', message: 'boom' };
  const found = /^\/\/ (.*)$/m.exec(source)?.[1] ?? '{}';
  return acceptedInspection(JSON.parse(found));
}

/** Inspects by reading; remembers what it was asked. */
function createReader() {
  const inspected: string[] = [];
  const retired: string[] = [];
  const stopped: string[] = [];
  const sandbox: Pick<Sandbox, 'inspect' | 'evict' | 'stop'> = {
    inspect: async (source) => {
      inspected.push(source);
      return read(source);
    },
    evict: (moduleId) => void retired.push(moduleId),
    stop: async (moduleId) => void stopped.push(moduleId),
  };
  return { sandbox, inspected, retired, stopped };
}

interface Options {
  readonly store?: DocumentStore;
  readonly root?: string;
  readonly review?: ReviewMode;
  readonly ceilings?: PolicyLimits;
  readonly sandbox?: Pick<Sandbox, 'inspect' | 'evict' | 'stop'>;
  /** `version/database/name` of collections that are there. */
  readonly collections?: readonly string[];
  readonly now?: () => number;
  /** What happens while the service waits to try again. */
  readonly pause?: Pause;
  /** The other processes on the same database; none unless given. */
  readonly coordination?: ModuleServiceDeps['coordination'];
}

export function collectionsNamed(paths: readonly string[]) {
  const registry = createCollectionRegistry();
  for (const path of paths) {
    const [version = '', database = '', name = ''] = path.split('/');
    const settings = { storeRevisions: false };
    const namespace = { database: null, collection: path };
    registry.put({ path: `/${path}`, version, database, name, namespace, settings } as unknown as Collection);
  }
  return registry;
}

/** Nothing is loaded yet. `restart` closes this one and opens another on the same store and folders. */
export async function openModules(options: Options = {}) {
  const store = options.store ?? (await openTemporaryStore()).store;
  const root = options.root ?? (await temporaryFolder());
  const reader = createReader();
  const { log, errors, warnings } = silentLog();
  const now = options.now ?? Date.now;
  const audit = createAudit({ store, now, queryMs: 60_000, log, folder: auditFolder() });
  const modules = createModuleService({
    workspace: createFolderWorkspace(),
    store,
    coordination: options.coordination ?? soleCoordination(),
    folders: { endpoints: join(root, 'endpoints'), hooks: join(root, 'hooks') },
    sandbox: options.sandbox ?? reader.sandbox,
    findUndeclared: async (source) => (source.includes('undeclared') ? [{ name: 'count', line: 2 }] : []),
    audit,
    policyLimits: options.ceilings ?? packaged,
    review: options.review ?? 'none',
    collections: collectionsNamed(options.collections ?? []),
    limits: { endpointCodeBytes: 10_000, jsonBytes: 1_000_000 },
    queryMs: 60_000,
    log,
    now,
    pause: options.pause,
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= modules.close();
    return closed;
  };
  onTestFinished(close);
  return {
    modules,
    store,
    root,
    errors,
    warnings,
    close,
    inspected: reader.inspected,
    retired: reader.retired,
    stopped: reader.stopped,
    audited: async () =>
      (await audit.read(0, 1000)).map(({ action, target, clientId }) => [action, target, clientId]),
    entries: () => audit.read(0, 1000),
    async write(file: string, text: string) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), text);
    },
    read: (file: string) => readFile(join(root, file), 'utf8').catch(() => undefined),
    remove: (file: string) => rm(join(root, file)),
    async restart(changed: Options = {}) {
      await close();
      const next = await openModules({ ...options, ...changed, store, root });
      await next.modules.load();
      return next;
    },
  };
}

export type Opened = Awaited<ReturnType<typeof openModules>>;

/** A service on empty folders, loaded. */
export async function loadedModules(options: Options = {}): Promise<Opened> {
  const opened = await openModules(options);
  await opened.modules.load();
  return opened;
}
