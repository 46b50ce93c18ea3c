// Addresses of modules: which are valid, their keys and paths, and audit entries about them.

import type { AuditAction } from '../../auth/audit/audit-entry.ts';
import { AppError } from '../../errors/errors.ts';
import type { ModuleAddress } from './module-types.ts';

const NAME = /^[A-Za-z0-9_-]{1,100}$/;
const VERSION = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const RESERVED_VERSIONS = ['api', 'token', 'hello', 'health', 'docs', 'metrics', 'media', 'favicon.ico'];
const ENDPOINT_KEY = /^endpoint:(?<apiVersion>[^/]+)\/(?<name>[^/]+)$/;
const HOOK_KEY = /^hook:(?<name>[^/]+)$/;
/** Second path segments with another meaning. */
export const RESERVED_ENDPOINT_NAMES: readonly string[] = ['search'];

/** Key of a module, as in records, logs and the sandbox: `endpoint:1.0/report`, `hook:slugify`. */
export function moduleKey(address: ModuleAddress): string {
  return address.kind === 'hook' ? `hook:${address.name}` : `endpoint:${address.apiVersion}/${address.name}`;
}

/** Path of a module without a custom route, and of its sub-resources always. */
export function modulePath(address: ModuleAddress): string {
  return address.kind === 'hook' ? `/api/hooks/${address.name}` : `/${address.apiVersion}/${address.name}`;
}

/** The issue of a version as the first segment of a path, if any. */
export function apiVersionIssue(version: string): string | undefined {
  if (RESERVED_VERSIONS.includes(version)) return `\`${version}\` is reserved`;
  if (VERSION.test(version) && !version.includes('..')) return undefined;
  return 'must be letters, digits, dots, dashes and underscores, without a leading or double dot';
}

function nameIssue({ kind, name }: ModuleAddress): string | undefined {
  if (!NAME.test(name)) return 'must be 1 to 100 letters, digits, dashes and underscores';
  return kind === 'endpoint' && RESERVED_ENDPOINT_NAMES.includes(name)
    ? `\`${name}\` is reserved`
    : undefined;
}

/** Throws ENDPOINT_INVALID, its items named by part. */
export function assertModuleAddress(address: ModuleAddress): void {
  const problems = [
    ['version', address.kind === 'endpoint' ? apiVersionIssue(address.apiVersion) : undefined],
    ['name', nameIssue(address)],
  ] as const;
  const items = problems.flatMap(([field, message]) =>
    message === undefined ? [] : [{ field, message, code: 'ENDPOINT_INVALID' }],
  );
  if (items.length > 0) throw new AppError('ENDPOINT_INVALID', { items });
}

/** True when a module may have this address. */
export function isModuleAddress(address: ModuleAddress): boolean {
  try {
    assertModuleAddress(address);
    return true;
  } catch {
    return false;
  }
}

/** The address of a key; undefined for one that is not valid in this version of the server. */
export function parseModuleKey(key: string): ModuleAddress | undefined {
  const endpoint = ENDPOINT_KEY.exec(key)?.groups;
  const { apiVersion = '', name = HOOK_KEY.exec(key)?.groups?.['name'] ?? '' } = endpoint ?? {};
  const address: ModuleAddress =
    endpoint === undefined ? { kind: 'hook', name } : { kind: 'endpoint', apiVersion, name };
  return isModuleAddress(address) ? address : undefined;
}

/** Who does what to a module: `action` is `create`, `replace`, … */
interface ModuleAction extends Omit<AuditAction, 'action' | 'target'> {
  readonly action: string;
  readonly address: ModuleAddress;
}

export function moduleAuditEntry({ address, action, ...rest }: ModuleAction): AuditAction {
  return { ...rest, action: `${address.kind}.${action}`, target: modulePath(address) };
}
