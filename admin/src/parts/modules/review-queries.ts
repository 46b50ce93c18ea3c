// Which versions wait for a reviewer. The server tells it module by module, so all modules are asked, a few at a time.
import { useQuery } from '@tanstack/react-query';
import type { Api } from '../../api/api.ts';
import { useApi } from '../../api/api-context.tsx';
import { ApiError } from '../../api/api-error.ts';
import type { Endpoints, Hooks, StoredPolicy } from '../../api/types-modules.ts';
import { pendingOf } from './module-queries.ts';
import { apiPathOf, type ModuleRef } from './module-ref.ts';

const AT_A_TIME = 6;

export interface PendingVersion {
  readonly ref: ModuleRef;
  readonly version: number;
}

async function refsOf(api: Api, signal: AbortSignal): Promise<readonly ModuleRef[]> {
  const [{ endpoints }, { hooks }] = await Promise.all([
    api.get<Endpoints>('/api/endpoints', { signal }),
    api.get<Hooks>('/api/hooks', { signal }),
  ]);
  return [
    ...endpoints.map(({ version, slug }): ModuleRef => ({ kind: 'endpoint', version, name: slug })),
    ...hooks.map(({ name }): ModuleRef => ({ kind: 'hook', name })),
  ];
}

async function pendingVersions(api: Api, signal: AbortSignal): Promise<readonly PendingVersion[]> {
  const refs = await refsOf(api, signal);
  const found: (readonly PendingVersion[])[] = refs.map(() => []);
  const rest = refs.entries();
  const work = async () => {
    for (const [index, ref] of rest) {
      try {
        const policy = await api.get<StoredPolicy>(apiPathOf(ref, 'policy'), { signal });
        found[index] = pendingOf(policy).map((version) => ({ ref, version }));
      } catch (error) {
        // Removed meanwhile.
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return found.flat();
}

export function usePendingVersions(isWanted = true) {
  const api = useApi();
  return useQuery({
    queryKey: ['review'],
    enabled: isWanted,
    queryFn: ({ signal }) => pendingVersions(api, signal),
  });
}
