// What the parts of this folder share: one set of files, records and live modules, and the order in which they change.
import type { Audit } from '../../auth/audit/audit.ts';
import type { AuditAction } from '../../auth/audit/audit-entry.ts';
import type { Registry } from '../../collections/model/registry.ts';
import type { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import { moduleKey, modulePath } from '../model/address.ts';
import type { ModuleAddress } from '../model/types.ts';
import type { ModuleLogs } from '../module-logs.ts';
import type { PolicyParser } from '../policy/policy.ts';
import type { WritableModuleRegistry } from '../routes/module-registry.ts';
import type { ModuleRecords } from '../versions/module-records.ts';
import type { ModuleStates } from '../versions/module-states.ts';
import type { CodeValidator } from './code-validation.ts';
import type { ModuleFiles } from './module-files.ts';

/** Where modules report what nobody waits for an answer to. */
export interface ModulesLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LifecycleDeps {
  readonly files: ModuleFiles;
  readonly records: ModuleRecords;
  readonly registry: WritableModuleRegistry;
  readonly shelf: ModuleStates;
  readonly policies: PolicyParser;
  readonly acceptance: CodeValidator;
  readonly logs: ModuleLogs;
  readonly collections: Pick<Registry, 'get' | 'list'>;
  /** Ends all that runs of a module. Resolves when nothing of it goes on. */
  readonly stop: (unitId: string) => Promise<void>;
  readonly audit: Pick<Audit, 'record' | 'announce'>;
  readonly log: ModulesLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Changes of one module, by its key, run one after the other; `''` is the turn of whoever takes names and routes. */
  readonly queue: KeyedMutex;
}

/** Who does what to a module: `action` is `create`, `replace`, … */
interface ModuleAction extends Omit<AuditAction, 'action' | 'target'> {
  readonly action: string;
  readonly address: ModuleAddress;
}

/** The entry of the audit log: `endpoint.<action>` or `hook.<action>`. */
export function moduleAuditEntry({ address, action, ...rest }: ModuleAction): AuditAction {
  return { ...rest, action: `${address.kind}.${action}`, target: modulePath(address) };
}

/** Runs a change of one module after every earlier one. */
export function withModuleLock<T>(
  { queue }: Pick<LifecycleDeps, 'queue'>,
  address: ModuleAddress,
  task: () => Promise<T>,
): Promise<T> {
  return queue.run(moduleKey(address), task);
}
