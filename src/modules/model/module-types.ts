// A module, an endpoint or a hook, as HTTP, hooks and commands use it: its types, which `module-service.ts` serves, and its address
// with key, path and audit entries.

import type { Isolation } from '../../../sandbox/protocol.ts';
import type { Actor } from '../../auth/audit/actor.ts';
import type { AuditAction } from '../../auth/audit/audit-entry.ts';
import { AppError } from '../../errors/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { reservedVersionIssue } from '../../lib/reserved-versions.ts';
import type { ModuleVersion } from '../../sandbox-supervisor/model/module-version.ts';
import type { GuestLogRecord } from '../../sandbox-supervisor/model/sandbox.ts';
import type { ShownPolicyLimits } from '../policy/policy-limits.ts';

export type ModuleAddress =
  | { readonly kind: 'endpoint'; readonly apiVersion: string; readonly name: string }
  | { readonly kind: 'hook'; readonly name: string };

/** Only active modules run. `broken`: a file is invalid. `pending`: no version is approved yet. */
export type ModuleStatus = 'active' | 'suspended' | 'broken' | 'pending';

interface Suspension {
  /** An admin, the circuit breaker, or the operator by a command. */
  readonly by: 'admin' | 'breaker' | 'operator';
  /** The admin. */
  readonly clientId: string | null;
  /** Epoch milliseconds. */
  readonly at: number | null;
}

/** A module as it is served now. Replaced at each change, never changed. */
export interface LiveModule {
  readonly address: ModuleAddress;
  /** `/1.0/report`, the path pattern of an endpoint, or `/api/hooks/slugify`. */
  readonly path: string;
  readonly state: ModuleStatus;
  /** Set while it is suspended, also beside another state. */
  readonly suspension?: Suspension;
  /** Upper-case methods with a handler. */
  readonly methods: readonly string[];
  /** `authenticate` of `module.exports.model.settings`; true when absent. */
  readonly authenticate: boolean | readonly string[];
  readonly displayName?: string;
  /** What the code says of its methods: JSON text by method, valid when it was posted. `describeEndpoint` reads it. */
  readonly openapi?: Readonly<Record<string, string>>;
  /** Absent while broken or pending. */
  readonly moduleVersion?: ModuleVersion;
  /** Who posted the active version, null for a file laid there by hand; epoch milliseconds. */
  readonly postedBy: string | null;
  readonly postedAt: number;
}

export interface EndpointMatch {
  readonly endpoint: LiveModule;
  /** Decoded values of the route's parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Segments below `/{version}/{endpoint}` that name a sub-resource, such as `['versions', '3']`; empty for a call. */
  readonly sub: readonly string[];
}

/** The live modules, looked up at each request. */
export interface ModuleRegistry {
  /**
   * The endpoint of a path (percent-encoded, without its query): default paths, path patterns, sub-resources. One slash at the
   * end is tolerated.
   */
  match(path: string): EndpointMatch | undefined;
  get(address: ModuleAddress): LiveModule | undefined;
  /** Sorted by path. */
  list(): readonly LiveModule[];
}

export interface PostResult {
  readonly created: boolean;
  /** Number of the new version. */
  readonly version: number;
  /** It waits for a reviewer. */
  readonly pending: boolean;
  readonly warnings: readonly string[];
  readonly suggestedIsolation: Isolation | null;
}

export interface VersionSummary {
  readonly version: number;
  /** Of its code. */
  readonly sha256: string;
  /** What was posted, or put, as this version. A policy comes with the code that it was put for. */
  readonly part: ModuleFilePart;
  readonly clientId: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly active: boolean;
  /** Absent unless a reviewer refused it: then it never becomes active. `at`: epoch milliseconds. */
  readonly refused?: { readonly by: string; readonly at: number; readonly reason: string };
}

/** A version that waits for a reviewer. */
export interface PendingVersion {
  readonly version: number;
  /** What is new in it. A policy comes with the code that it was put for. */
  readonly part: ModuleFilePart;
  /** Who posted it. */
  readonly by: string | null;
  /** Since when, in epoch milliseconds. */
  readonly at: number;
}

/** A module has a code file and may have a policy file. */
export type ModuleFilePart = 'code' | 'policy';

export interface ModuleLogRecord extends GuestLogRecord {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Number of the code's version. */
  readonly version: number;
  readonly requestId: string;
  /** Counts up from record to record. */
  readonly seq: number;
}

/** Looks at what a change would replace, undefined where there is nothing, and throws to prevent the change. */
export type StateCheck<T> = (state: T | undefined) => void;

interface PostOptions {
  /** False rejects an existing module with 409, true demands one, absent does either. */
  readonly replace?: boolean | undefined;
  /** Given the source in force. */
  readonly check?: StateCheck<string>;
}

/**
 * Every change is durable, active and in the audit log when its promise resolves.
 * Unknown modules: NOT_FOUND. Invalid code: ENDPOINT_INVALID with `ENDPOINT_SYNTAX` or `ENDPOINT_LOAD` items.
 */
export interface ModuleService {
  readonly registry: ModuleRegistry;
  postCode(address: ModuleAddress, source: string, actor: Actor, options?: PostOptions): Promise<PostResult>;
  /** The active source. */
  source(address: ModuleAddress): string;
  /** `check` is given the source in force. */
  remove(address: ModuleAddress, actor: Actor, check?: StateCheck<string>): Promise<void>;
  /** The bounds of all policies, as clients may see them. */
  readonly policyLimits: ShownPolicyLimits;
  /** The policy as it was put, with the server's `code` block; `{version: 1}` when none. */
  policy(address: ModuleAddress): JsonObject;
  /** `check` is given what `policy` answers. */
  putPolicy(
    address: ModuleAddress,
    policy: unknown,
    actor: Actor,
    check?: StateCheck<JsonObject>,
  ): Promise<JsonObject>;
  versions(address: ModuleAddress): Promise<readonly VersionSummary[]>;
  versionSource(address: ModuleAddress, version: number): Promise<string>;
  /** The policy under which a version runs, or would run once approved. Rejects with NOT_FOUND where neither is known. */
  versionPolicy(address: ModuleAddress, version: number): Promise<JsonObject>;
  /** Unified diff from `a` to `b`. */
  diff(address: ModuleAddress, a: number, b: number): Promise<string>;
  rollback(address: ModuleAddress, version: number, actor: Actor): Promise<PostResult>;
  /** The actor has the right to approve. Rejects with APPROVAL_REFUSED where it wrote what it approves, with VERSION_OUTDATED. */
  approve(address: ModuleAddress, version: number, actor: Actor): Promise<void>;
  /** Keeps a version that waits from ever becoming active. Rejects like `approve`. `reason`: text for its author. */
  reject(
    address: ModuleAddress,
    version: number,
    rejection: { readonly actor: Actor; readonly reason: string },
  ): Promise<void>;
  /** The versions that wait for a reviewer, oldest first, by the key of their module. */
  pending(): Promise<ReadonlyMap<string, readonly PendingVersion[]>>;
  /** Resolves when no invocation of the module runs or writes any more. */
  suspend(address: ModuleAddress, actor: Actor): Promise<void>;
  /** Rejects with SUSPENDED_BY_OPERATOR where a command did it: only a command lifts that. */
  resume(address: ModuleAddress, actor: Actor): Promise<void>;
  logs(
    address: ModuleAddress,
    options: { readonly limit: number; readonly after: number },
  ): readonly ModuleLogRecord[];
  /** Appends to the log of a module, which drops old records. */
  log(moduleVersion: ModuleVersion, requestId: string, record: GuestLogRecord): void;
}

const NAME = /^[A-Za-z0-9_-]{1,100}$/;
const VERSION = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const ENDPOINT_KEY = /^endpoint:(?<apiVersion>[^/]+)\/(?<name>[^/]+)$/;
const HOOK_KEY = /^hook:(?<name>[^/]+)$/;
/** Second path segments with another meaning. */
export const RESERVED_ENDPOINT_NAMES: readonly string[] = ['search'];

/** Key of a module, as in records, logs and the sandbox: `endpoint:1.0/report`, `hook:slugify`. */
export function moduleKey(address: ModuleAddress): string {
  return address.kind === 'hook' ? `hook:${address.name}` : `endpoint:${address.apiVersion}/${address.name}`;
}

/** Path of a module without a path pattern, and of its sub-resources always. */
export function modulePath(address: ModuleAddress): string {
  return address.kind === 'hook' ? `/api/hooks/${address.name}` : `/${address.apiVersion}/${address.name}`;
}

/** The issue of a version as the first segment of a path, if any. */
export function apiVersionIssue(version: string): string | undefined {
  const reserved = reservedVersionIssue(version);
  if (reserved !== undefined) return reserved;
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

/** The address of a key; undefined for one that is not valid. */
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
