// What the views of endpoints and hooks ask the server for.
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../../api/api.ts';
import { isAdmin, useApi, useMe } from '../../api/api-context.tsx';
import { ApiError } from '../../api/api-error.ts';
import type { Json, JsonObject } from '../../api/types.ts';
import type {
  Endpoints,
  Hooks,
  ListedEndpoint,
  ListedHook,
  ModuleVersions,
  PostedCode,
  StoredPolicy,
} from '../../api/types-modules.ts';
import { apiPathOf, type ModuleKind, type ModuleRef } from './module-ref.ts';

export type ListedModule = (ListedEndpoint | ListedHook) & { readonly ref: ModuleRef };

/** Admins see everything of posted code, reviewers what they need to approve it. */
export function useCodeRights() {
  const me = useMe();
  const isAllowed = isAdmin(me);
  return {
    mayChange: isAllowed,
    mayRead: isAllowed || me.reviewer === true,
    mayApprove: me.reviewer === true,
  };
}

async function fetchModules(
  api: Api,
  kind: ModuleKind,
  signal: AbortSignal,
): Promise<readonly ListedModule[]> {
  if (kind === 'hook') {
    const { hooks } = await api.get<Hooks>('/api/hooks', { signal });
    return hooks.map((hook) => ({ ...hook, ref: { kind: 'hook', name: hook.name } }));
  }
  const { endpoints } = await api.get<Endpoints>('/api/endpoints', { signal });
  return endpoints.map((endpoint) => ({
    ...endpoint,
    ref: { kind: 'endpoint', version: endpoint.version, name: endpoint.slug },
  }));
}

const listKey = (kind: ModuleKind) => ['modules', kind];
const keyOf = (ref: ModuleRef, ...more: readonly (string | number)[]) => [
  'module',
  apiPathOf(ref),
  ref.kind,
  ...more,
];

export function useModules(kind: ModuleKind) {
  const api = useApi();
  return useQuery({ queryKey: listKey(kind), queryFn: ({ signal }) => fetchModules(api, kind, signal) });
}

/** True for what is not there; any other error is thrown. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** The code in force; null while no version is approved, or where there is no such module. */
export function useSource(ref: ModuleRef) {
  const api = useApi();
  return useQuery({
    queryKey: keyOf(ref, 'source'),
    queryFn: ({ signal }) => orNull(api.text(apiPathOf(ref, 'config'), { signal })),
    // What is being edited does not change under the hands.
    refetchOnWindowFocus: false,
  });
}

/** The policy in force, with the state of the code; null where there is no such module. */
export function usePolicy(ref: ModuleRef, isWanted = true) {
  const api = useApi();
  return useQuery({
    queryKey: keyOf(ref, 'policy'),
    enabled: isWanted,
    queryFn: ({ signal }) => orNull(api.get<StoredPolicy>(apiPathOf(ref, 'policy'), { signal })),
    refetchOnWindowFocus: false,
  });
}

export function useVersions(ref: ModuleRef) {
  const api = useApi();
  return useQuery({
    queryKey: keyOf(ref, 'versions'),
    queryFn: async ({ signal }) => {
      const path = apiPathOf(ref, 'versions');
      return (await api.get<ModuleVersions>(path, { signal })).versions;
    },
  });
}

/** The code of one version; null where it is not known. */
export function useVersionSource(ref: ModuleRef, version: number | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: keyOf(ref, 'versionSource', version ?? 0),
    enabled: version !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => orNull(api.text(apiPathOf(ref, 'versions', `${version}`), { signal })),
  });
}

/** The policy under which a version runs, or would run; null where neither is known. */
export function useVersionPolicy(ref: ModuleRef, version: number) {
  const api = useApi();
  return useQuery({
    queryKey: keyOf(ref, 'versionPolicy', version),
    queryFn: ({ signal }) =>
      orNull(api.get<JsonObject>(apiPathOf(ref, 'versions', `${version}`, 'policy'), { signal })),
  });
}

/** Versions that wait for a reviewer, oldest first. */
export function pendingOf(policy: JsonObject | null | undefined): readonly number[] {
  const code: Json | undefined = policy?.['code'];
  if (typeof code !== 'object' || code === null || !('pending' in code)) return [];
  const { pending } = code;
  return Array.isArray(pending) ? pending.filter((version) => typeof version === 'number') : [];
}

/** The answer to a change that may have to wait for a reviewer. */
export type Changed<T> = T & { readonly isWaiting: boolean };

async function change<T>(
  api: Api,
  method: 'POST' | 'PUT',
  path: string,
  body?: string | JsonObject,
): Promise<Changed<T>> {
  const { status, body: answer } = await api.sendForStatus<T>(method, path, body);
  return { ...answer, isWaiting: status === 202 };
}

/** Asks again for everything that is shown of a module. */
function refreshModule(queries: QueryClient, ref: ModuleRef): Promise<unknown> {
  const keys = [listKey(ref.kind), keyOf(ref), ['review']];
  return Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

/** Changes of one module; what is shown of it is asked for again after each. */
export function useModuleWrites(ref: ModuleRef) {
  const api = useApi();
  const queries = useQueryClient();
  const onSuccess = () => refreshModule(queries, ref);
  const path = (...below: readonly string[]) => apiPathOf(ref, ...below);
  const save = useMutation({
    mutationFn: ({ source, isNew }: { readonly source: string; readonly isNew: boolean }) => {
      const method = ref.kind === 'hook' && !isNew ? 'PUT' : 'POST';
      return change<PostedCode>(api, method, path('config'), source);
    },
    onSuccess,
  });
  const putPolicy = useMutation({
    mutationFn: (policy: JsonObject) => change<{ message?: string }>(api, 'PUT', path('policy'), policy),
    onSuccess,
  });
  const rollBack = useMutation({
    mutationFn: (version: number) =>
      change<PostedCode>(api, 'POST', path('versions', `${version}`, 'rollback')),
    onSuccess,
  });
  const approve = useMutation({
    mutationFn: (version: number) => api.send('POST', path('versions', `${version}`, 'approve')),
    onSuccess,
  });
  const suspend = useMutation({ mutationFn: () => api.send('POST', path('suspend')), onSuccess });
  const resume = useMutation({ mutationFn: () => api.send('DELETE', path('suspend')), onSuccess });
  const remove = useMutation({
    mutationFn: () => api.send('DELETE', path('config')),
    onSuccess: () => queries.invalidateQueries({ queryKey: listKey(ref.kind) }),
  });
  return { save, putPolicy, rollBack, approve, suspend, resume, remove };
}
