// Posted code without a sandbox, a store or files: modules stand on a shelf, and what is done to them is noted.

import { expect } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import type {
  EndpointMatch,
  LiveModule,
  ModuleAddress,
  ModuleLogRecord,
  ModuleService,
  PendingVersion,
} from '../../../src/modules/model/module-types.ts';
import type { GuestLogRecord } from '../../../src/sandbox-supervisor/model/sandbox.ts';

export interface Shelf {
  readonly modules: ModuleService;
  /** What was asked for: name of the function, then its arguments. */
  readonly acts: unknown[][];
  readonly logged: { readonly unit: string; readonly requestId: string; readonly record: GuestLogRecord }[];
}

/** Who acts, as the service is told. */
export const actorCalled = (clientId: string) => ({
  clientId,
  address: '127.0.0.1',
  requestId: expect.stringMatching(/^[0-9a-f]{24}$/),
});

const SUB = /^(\/[^/]+\/[^/]+)\/(config|policy|logs|usage|suspend|versions(?:\/.+)?)$/;
const keyOf = (address: ModuleAddress) =>
  address.kind === 'hook' ? `/api/hooks/${address.name}` : `/${address.apiVersion}/${address.name}`;

const RECORD: ModuleLogRecord = {
  at: 5,
  level: 'info',
  message: 'hello',
  version: 3,
  requestId: 'r',
  seq: 1,
};
const POSTED = { version: 4, pending: false, warnings: ['a warning'], suggestedIsolation: null };

/** The version of `report` and `slugify` that waits. */
const WAITING: PendingVersion = { version: 5, part: 'code', by: 'alice', at: 9 };

/** `{name}` in a path stands for one segment. */
function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const found = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
  if (found === null) return undefined;
  return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]));
}

function matchOf(live: Iterable<LiveModule>, path: string): EndpointMatch | undefined {
  const [, own, sub] = SUB.exec(path) ?? [];
  for (const endpoint of live) {
    if (endpoint.address.kind !== 'endpoint') continue;
    if (own === keyOf(endpoint.address)) return { endpoint, params: {}, sub: (sub ?? '').split('/') };
    const params = paramsOf(endpoint.path, path);
    if (params !== undefined) return { endpoint, params, sub: [] };
  }
  return undefined;
}

export function createShelf(modules: readonly LiveModule[]): Shelf {
  const live = new Map(modules.map((module) => [keyOf(module.address), module]));
  const acts: unknown[][] = [];
  const logged: Shelf['logged'] = [];
  const known = (address: ModuleAddress) => {
    if (!live.has(keyOf(address))) throw new AppError('NOT_FOUND');
  };
  const note = <T>(result: T, act: string, address: ModuleAddress, ...more: unknown[]): T => {
    known(address);
    acts.push([act, keyOf(address), ...more]);
    return result;
  };
  const service: ModuleService = {
    registry: {
      match: (path) => matchOf(live.values(), path.replace(/\/$/, '')),
      get: (address) => live.get(keyOf(address)),
      list: () => [...live.values()],
    },
    async postCode(address, source, actor, { replace, check } = {}) {
      const created = !live.has(keyOf(address));
      if (replace === false && !created) throw new AppError('NAME_TAKEN');
      if (replace === true && created) throw new AppError('NOT_FOUND');
      check?.(created ? undefined : 'the source');
      acts.push(['post', keyOf(address), source, actor]);
      const suggestedIsolation = source.includes('leak') ? 'context' : null;
      return { ...POSTED, created, pending: source.includes('pending'), suggestedIsolation };
    },
    source: (address) => note('the source', 'source', address),
    remove: async (address, actor) => note(undefined, 'remove', address, actor),
    policyLimits: { limits: {}, grants: {} } as ModuleService['policyLimits'],
    policy: (address) => note({ version: 1 }, 'policy', address),
    putPolicy: async (address, policy, actor) => note({ version: 1 }, 'putPolicy', address, policy, actor),
    versions: async (address) => note([], 'versions', address),
    versionSource: async (address, version) => note('an old source', 'versionSource', address, version),
    versionPolicy: async (address, version) => note({ version: 1 }, 'versionPolicy', address, version),
    diff: async (address, a, b) => note('-a\n+b\n', 'diff', address, a, b),
    rollback: async (address, version, actor) =>
      note({ ...POSTED, created: false }, 'rollback', address, version, actor),
    approve: async (address, version, actor) => note(undefined, 'approve', address, version, actor),
    reject: async (address, version, rejection) => note(undefined, 'reject', address, version, rejection),
    pending: async () => new Map(['endpoint:1.0/report', 'hook:slugify'].map((key) => [key, [WAITING]])),
    suspend: async (address, actor) => note(undefined, 'suspend', address, actor),
    resume: async (address, actor) => note(undefined, 'resume', address, actor),
    logs: (address, options) => note([RECORD], 'logs', address, options),
    log: (unit, requestId, record) => void logged.push({ unit: unit.id, requestId, record }),
  };
  return { modules: service, acts, logged };
}
