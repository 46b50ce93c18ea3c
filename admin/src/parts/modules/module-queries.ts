// What the views of endpoints and hooks ask the server for.
import {
  keepPreviousData,
  type QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import { type Api, ifMatch, type Tagged } from '../../api/api.ts';
import { isAdmin, useApi, useMe } from '../../api/api-context.tsx';
import { ApiError } from '../../api/api-error.ts';
import type { JsonObject } from '../../api/types.ts';
import type {
  Endpoints,
  Hooks,
  ListedEndpoint,
  ListedHook,
  ModuleVersions,
  PolicyLimits,
  PostedCode,
  StoredPolicy,
} from '../../api/types-modules.ts';
import { apiPathOf, type ModuleKind, type ModuleRef, titleOf, withTitle } from './module-ref.ts';

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

interface ModuleListing {
  readonly modules: readonly ListedModule[];
  /** For admins and reviewers. */
  readonly policyLimits?: PolicyLimits | undefined;
}

async function fetchModules(api: Api, kind: ModuleKind, signal: AbortSignal): Promise<ModuleListing> {
  if (kind === 'hook') {
    const { hooks, policyLimits } = await api.get<Hooks>('/api/hooks', { signal });
    const modules = hooks.map((hook): ListedModule => ({ ...hook, ref: { kind: 'hook', name: hook.name } }));
    return { modules, policyLimits };
  }
  const { endpoints, policyLimits } = await api.get<Endpoints>('/api/endpoints', { signal });
  const modules = endpoints.map(
    (endpoint): ListedModule => ({
      ...endpoint,
      ref: { kind: 'endpoint', version: endpoint.version, name: endpoint.slug },
    }),
  );
  return { modules, policyLimits };
}

const listKey = (kind: ModuleKind) => ['modules', kind];
const keyOf = (ref: ModuleRef, ...more: readonly (string | number)[]) => [
  'module',
  apiPathOf(ref),
  ref.kind,
  ...more,
];

/** Milliseconds between two questions of a view that shows what others do meanwhile. */
const REFRESH_MS = 60_000;

function useListing<T>(
  kind: ModuleKind,
  select: (listing: ModuleListing) => T,
  { isWanted = true, isWatched = false }: { readonly isWanted?: boolean; readonly isWatched?: boolean } = {},
) {
  const api = useApi();
  return useQuery({
    queryKey: listKey(kind),
    queryFn: ({ signal }) => fetchModules(api, kind, signal),
    select,
    enabled: isWanted,
    refetchInterval: isWatched && REFRESH_MS,
  });
}

export const useModules = (kind: ModuleKind) => useListing(kind, ({ modules }) => modules);

/** The same, asked for each minute while they are shown. */
export const useWatchedModules = (kind: ModuleKind, isWanted: boolean) =>
  useListing(kind, ({ modules }) => modules, { isWanted, isWatched: true });

/** Asks again for the states of all endpoints, or of all hooks. */
export function useStateRefresh(kind: ModuleKind): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(() => queries.invalidateQueries({ queryKey: listKey(kind) }), [queries, kind]);
}

/** One of the list; null where there is no such module. */
export const useModule = (ref: ModuleRef) =>
  useListing(ref.kind, ({ modules }) => modules.find((one) => titleOf(one.ref) === titleOf(ref)) ?? null);

/** What the operator lets any policy ask for; undefined until it is known. */
export const usePolicyLimits = (kind: ModuleKind): PolicyLimits | undefined =>
  useListing(kind, ({ policyLimits }) => policyLimits).data;

/** True for what is not there; any other error is thrown. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** What is in force at this moment, with its ETag; null while no version is approved, or where there is no such module. */
export function useInForce(ref: ModuleRef) {
  const api = useApi();
  const options = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });
  return {
    source: (signal?: AbortSignal): Promise<Tagged<string> | null> =>
      orNull(api.taggedText(apiPathOf(ref, 'config'), options(signal))),
    policy: (signal?: AbortSignal): Promise<Tagged<StoredPolicy> | null> =>
      orNull(api.getTagged<StoredPolicy>(apiPathOf(ref, 'policy'), options(signal))),
  };
}

/** The code in force; null while no version is approved, or where there is no such module. */
export function useSource(ref: ModuleRef) {
  const inForce = useInForce(ref);
  return useQuery({
    queryKey: keyOf(ref, 'source'),
    queryFn: ({ signal }) => inForce.source(signal),
    // What is being edited does not change under the hands.
    refetchOnWindowFocus: false,
  });
}

/** The policy in force, with the state of the code; null where there is no such module. */
export function usePolicy(ref: ModuleRef) {
  const inForce = useInForce(ref);
  return useQuery({
    queryKey: keyOf(ref, 'policy'),
    queryFn: ({ signal }) => inForce.policy(signal),
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
export function useVersionSource(
  ref: ModuleRef,
  version: number | undefined,
  { keepsPrevious = false }: { readonly keepsPrevious?: boolean } = {},
) {
  const api = useApi();
  return useQuery({
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
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

/** The answer to a change that may have to wait for a reviewer. */
export type Changed<T> = T & { readonly isWaiting: boolean };

interface ChangeOptions {
  readonly ref: ModuleRef;
  readonly body?: string | JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The header that lets a write make something, and replace nothing. */
const ONLY_NEW = { 'if-none-match': '*' };

async function change<T extends { readonly message?: string }>(
  api: Api,
  method: 'POST' | 'PUT',
  path: string,
  { ref, body, headers = {} }: ChangeOptions,
): Promise<Changed<T>> {
  const { status, body: answer } = await api.sendForStatus<T>(method, path, body, { headers });
  const { message } = answer;
  const shown = message === undefined ? answer : { ...answer, message: withTitle(message, ref) };
  return { ...shown, isWaiting: status === 202 };
}

/** Asks again for everything that is shown of a module. */
function refreshModule(queries: QueryClient, ref: ModuleRef): Promise<unknown> {
  const keys = [listKey(ref.kind), keyOf(ref)];
  return Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

/** `etag`: of the state that is replaced; absent: whatever there is. */
interface CodeChange {
  readonly source: string;
  readonly isNew: boolean;
  readonly etag?: string | undefined;
}

interface PolicyChange {
  readonly policy: JsonObject;
  readonly etag?: string | undefined;
}

/** Changes of one module; what is shown of it is asked for again after each. */
export function useModuleWrites(ref: ModuleRef) {
  const api = useApi();
  const queries = useQueryClient();
  const onSuccess = () => refreshModule(queries, ref);
  const path = (...below: readonly string[]) => apiPathOf(ref, ...below);
  const save = useMutation({
    mutationFn: ({ source, isNew, etag }: CodeChange) => {
      const method = ref.kind === 'hook' && !isNew ? 'PUT' : 'POST';
      return change<PostedCode>(api, method, path('config'), {
        ref,
        body: source,
        headers: isNew ? ONLY_NEW : ifMatch(etag),
      });
    },
    onSuccess,
  });
  const putPolicy = useMutation({
    mutationFn: ({ policy, etag }: PolicyChange) =>
      change<{ message?: string }>(api, 'PUT', path('policy'), {
        ref,
        body: policy,
        headers: ifMatch(etag),
      }),
    onSuccess,
  });
  const rollBack = useMutation({
    mutationFn: (version: number) =>
      change<PostedCode>(api, 'POST', path('versions', `${version}`, 'rollback'), { ref }),
    onSuccess,
  });
  // Where another reviewer has decided meanwhile, what is shown is old.
  const onError = (error: unknown) => {
    if (error instanceof ApiError && (error.isConflict || error.status === 404)) void onSuccess();
  };
  const approve = useMutation({
    mutationFn: (version: number) => api.send('POST', path('versions', `${version}`, 'approve')),
    onSuccess,
    onError,
  });
  const refuse = useMutation({
    mutationFn: ({ version, reason }: { readonly version: number; readonly reason: string }) =>
      api.send('POST', path('versions', `${version}`, 'refuse'), { reason }),
    onSuccess,
    onError,
  });
  const suspend = useMutation({ mutationFn: () => api.send('POST', path('suspend')), onSuccess });
  const resume = useMutation({ mutationFn: () => api.send('DELETE', path('suspend')), onSuccess });
  const remove = useMutation({
    mutationFn: () => api.send('DELETE', path('config')),
    onSuccess: () => queries.invalidateQueries({ queryKey: listKey(ref.kind) }),
  });
  return { save, putPolicy, rollBack, approve, refuse, suspend, resume, remove };
}
