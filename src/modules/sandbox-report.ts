// Report of all posted code for reviewers, read from the database and the files, beside a running server or without one.

import type { JsonObject } from '../lib/json/json.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { ModuleLimits } from '../sandbox-supervisor/model/module-version.ts';
import type { SandboxStatus } from '../sandbox-supervisor/model/sandbox.ts';
import type { DocumentStore } from '../stores/ports.ts';
import type { WorkspaceFiles } from '../stores/workspace-files.ts';
import {
  createModuleFiles,
  type FileText,
  type ModuleFiles,
  type ModuleFolders,
} from './lifecycle/module-files.ts';
import { applyOperatorOrders, loadOperatorOrders } from './lifecycle/operator-orders.ts';
import { readPolicyFile } from './lifecycle/publish-steps.ts';
import { type ModuleAddress, moduleKey, modulePath, parseModuleKey } from './model/module-types.ts';
import { createPolicyParser, type Policy, type PolicyParser } from './policy/policy.ts';
import type { PolicyLimits } from './policy/policy-limits.ts';
import {
  initialModuleState,
  loadModuleStates,
  type ModuleState,
  type SuspendedBy,
} from './versions/module-records.ts';
import { isUnpublished } from './versions/state-transitions.ts';

interface ReportDeps {
  readonly store: DocumentStore;
  readonly workspace: WorkspaceFiles;
  readonly folders: ModuleFolders;
  readonly policyLimits: PolicyLimits;
  /** Bytes. */
  readonly limits: { readonly endpointCodeBytes: number; readonly jsonBytes: number };
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly status: Pick<SandboxStatus, 'level' | 'selfTest' | 'jit' | 'versions'>;
}

/** Times are ISO 8601. */
export interface ReportedModule {
  /** Of the API; hooks have none. */
  readonly version?: string;
  readonly name: string;
  readonly path: string;
  /** `new`: a file that no server has inspected yet. `broken`: a start could not activate its files. */
  readonly state: 'active' | 'suspended' | 'broken' | 'pending' | 'new';
  readonly suspendedBy: SuspendedBy | null;
  /** Client id of the admin who suspended it. */
  readonly suspendedClient: string | null;
  readonly suspendedAt: string | null;
  /** Its code has ended a process, or lost an isolate at the limit of its heap, and runs in a process of its own. */
  readonly quarantined: boolean;
  /** Hash of the active code, and its number below; null when none is active. */
  readonly sha256: string | null;
  readonly codeVersion: number | null;
  readonly postedBy: string | null;
  readonly postedAt: string | null;
  readonly approvedBy: string | null;
  readonly approvedAt: string | null;
  /** Versions that wait for a reviewer. */
  readonly pending: readonly number[];
  /** Whether the file holds the active code. */
  readonly file: 'same' | 'different' | 'absent' | 'unreadable';
  /** As it was put. */
  readonly policy: JsonObject;
  readonly effectiveLimits: ModuleLimits;
  readonly lastViolations: readonly {
    readonly at: string;
    readonly kind: string;
    readonly limit: string;
    readonly version: number;
  }[];
}

export interface SandboxReport {
  readonly generatedAt: string;
  readonly level: number;
  readonly selfTest: SandboxStatus['selfTest'];
  readonly jit: SandboxStatus['jit'];
  readonly versions: SandboxStatus['versions'];
  readonly ceilings: PolicyLimits;
  /** Sorted by address. */
  readonly endpoints: readonly ReportedModule[];
  readonly hooks: readonly ReportedModule[];
}

interface Readers {
  readonly files: ModuleFiles;
  readonly policies: PolicyParser;
}

const isoOf = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString());

function fileOf({ active }: ModuleState, found: FileText): ReportedModule['file'] {
  if (found.state !== 'text') return found.state;
  return sha256Hex(found.text) === active?.sha256 ? 'same' : 'different';
}

function stateOf(state: ModuleState, found: FileText, policy: Policy | undefined): ReportedModule['state'] {
  const { active, broken, suspendedBy } = state;
  if (policy === undefined || found.state === 'unreadable') return 'broken';
  if (found.state === 'text' && sha256Hex(found.text) === broken) return 'broken';
  if (active !== null) return suspendedBy === null ? 'active' : 'suspended';
  return found.state === 'absent' && isUnpublished(state) ? 'pending' : 'new';
}

function approvalOf({ active }: ModuleState): Pick<ReportedModule, 'approvedBy' | 'approvedAt'> {
  return { approvedBy: active?.approvedBy ?? null, approvedAt: isoOf(active?.approvedAt) };
}

async function reportModule(
  { files, policies }: Readers,
  address: ModuleAddress,
  state: ModuleState,
): Promise<ReportedModule> {
  const { active, suspendedBy, suspendedClient, quarantined, pending } = state;
  const found = await files.read(address, 'code');
  const policy = await readPolicyFile({ files, policies }, address).catch(() => undefined);
  const { input: given, resolve: effective } = policy ?? policies.empty;
  return {
    ...(address.kind === 'endpoint' ? { version: address.apiVersion } : {}),
    name: address.name,
    path: active?.metadata.route ?? modulePath(address),
    state: stateOf(state, found, policy),
    suspendedBy,
    suspendedClient,
    suspendedAt: isoOf(state.suspendedAt),
    quarantined,
    sha256: active?.sha256 ?? null,
    codeVersion: active?.version ?? null,
    postedBy: active?.clientId ?? null,
    postedAt: isoOf(active?.createdAt),
    ...approvalOf(state),
    pending,
    file: fileOf(state, found),
    policy: given ?? { version: 1 },
    effectiveLimits: effective(moduleKey(address), quarantined).limits,
    lastViolations: state.violations.map((one) => ({ ...one, at: new Date(one.at).toISOString() })),
  };
}

/** The modules with a file, an active version, or none yet. Sorted by key. */
async function presentModules(
  files: ModuleFiles,
  states: readonly ModuleState[],
): Promise<readonly ModuleAddress[]> {
  const found = new Map<string, ModuleAddress>();
  for (const { address, part } of await files.list()) {
    if (part === 'code') found.set(moduleKey(address), address);
  }
  for (const state of states) {
    const address = parseModuleKey(state.key);
    const isPresent = state.active !== null || isUnpublished(state);
    if (address !== undefined && isPresent) found.set(state.key, address);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
}

/** Creates the report. Nothing is changed. Rejects with the store's StoreError. */
export async function createSandboxReport(deps: ReportDeps): Promise<SandboxReport> {
  const { workspace, folders, limits, policyLimits, now, status } = deps;
  const { jsonBytes, endpointCodeBytes } = limits;
  const files = createModuleFiles({ workspace, folders, maxBytes: endpointCodeBytes });
  const policies = createPolicyParser({
    policyLimits,
    jsonBytes,
  });
  const states = applyOperatorOrders(await loadModuleStates(deps), await loadOperatorOrders(deps));
  const byKey = new Map(states.map((state) => [state.key, state]));
  const modules: { readonly kind: string; readonly report: ReportedModule }[] = [];
  for (const address of await presentModules(files, states)) {
    const state = byKey.get(moduleKey(address)) ?? initialModuleState(moduleKey(address));
    modules.push({ kind: address.kind, report: await reportModule({ files, policies }, address, state) });
  }
  const ofKind = (kind: string) => modules.filter((one) => one.kind === kind).map(({ report }) => report);
  return {
    generatedAt: new Date(now()).toISOString(),
    level: status.level,
    selfTest: status.selfTest,
    jit: status.jit,
    versions: status.versions,
    ceilings: policyLimits,
    endpoints: ofKind('endpoint'),
    hooks: ofKind('hook'),
  };
}
