// Audit entries about modules: `endpoint.<action>` or `hook.<action>` on the path of the module.
import type { AuditAction } from '../../auth/audit/audit-entry.ts';
import { modulePath } from './address.ts';
import type { ModuleAddress } from './types.ts';

/** Who does what to a module: `action` is `create`, `replace`, … */
interface ModuleAction extends Omit<AuditAction, 'action' | 'target'> {
  readonly action: string;
  readonly address: ModuleAddress;
}

export function moduleAuditEntry({ address, action, ...rest }: ModuleAction): AuditAction {
  return { ...rest, action: `${address.kind}.${action}`, target: modulePath(address) };
}
