// What the parts of this folder share: one set of files, records and live modules, and the order in which they change.
import type { Audit } from '../../auth/audit.ts';
import type { AuditAction } from '../../auth/audit-chain.ts';
import type { Registry } from '../../collections/registry.ts';
import type { KeyedQueue } from '../../lib/keyed-queue.ts';
import type { ModuleAddress } from '../modules.ts';
import type { Acceptance } from './acceptance.ts';
import { keyOf, pathOf } from './address.ts';
import type { ModuleFiles } from './files.ts';
import type { ModuleLogs } from './logs.ts';
import type { PolicyReader } from './policy.ts';
import type { Records } from './records.ts';
import type { WritableRegistry } from './registry.ts';
import type { Shelf } from './shelf.ts';

/** Where modules report what nobody waits for an answer to. */
export interface ModulesLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Core {
  readonly files: ModuleFiles;
  readonly records: Records;
  readonly registry: WritableRegistry;
  readonly shelf: Shelf;
  readonly policies: PolicyReader;
  readonly acceptance: Acceptance;
  readonly logs: ModuleLogs;
  readonly collections: Pick<Registry, 'get' | 'list'>;
  /** Ends all that runs of a module. Resolves when nothing of it goes on. */
  readonly stop: (unitId: string) => Promise<void>;
  readonly audit: Pick<Audit, 'record' | 'announce'>;
  readonly log: ModulesLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Changes of one module, by its key, run one after the other; `''` is the turn of whoever takes names and routes. */
  readonly queue: KeyedQueue;
}

/** Who does what to a module: `action` is `create`, `replace`, … */
interface ModuleAction extends Omit<AuditAction, 'action' | 'target'> {
  readonly action: string;
  readonly address: ModuleAddress;
}

/** The entry of the audit log: `endpoint.<action>` or `hook.<action>`. */
export function entryOf({ address, action, ...rest }: ModuleAction): AuditAction {
  return { ...rest, action: `${address.kind}.${action}`, target: pathOf(address) };
}

/** Runs a change of one module after every earlier one. */
export function inTurn<T>(
  { queue }: Pick<Core, 'queue'>,
  address: ModuleAddress,
  task: () => Promise<T>,
): Promise<T> {
  return queue.run(keyOf(address), task);
}
