// What the views of documents ask the server for.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api, Query } from '../../api/api.ts';
import { useApi } from '../../api/api-context.tsx';
import { ApiError } from '../../api/api-error.ts';
import type { JsonObject, Results } from '../../api/types.ts';
import type { CollectionDescription, DocumentPage, StoredDocument } from '../../api/types-collections.ts';

/** What a form for documents needs to know of the collection at this path (`/1.0/library/books`). */
export function useCollection(path: string, isWanted = true) {
  const api = useApi();
  return useQuery({
    queryKey: ['collection', path],
    queryFn: ({ signal }) => api.get<CollectionDescription>(`/api/me/collections${path}`, { signal }),
    enabled: isWanted,
  });
}

/** One page of documents; the page before is shown until the next one is here, or the request is cancelled. */
export function useDocuments(path: string, query: Query, isWanted = true) {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = ['documents', path, query];
  const found = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<DocumentPage>(path, { query: { ...query, cache: false }, signal }),
    placeholderData: keepPreviousData,
    enabled: isWanted,
  });
  return { ...found, cancel: () => void queries.cancelQueries({ queryKey }) };
}

export const documentKey = (path: string, id: string) => ['document', path, id];

/** A document with the ids of its references; null where there is none. */
export async function fetchDocument(
  api: Api,
  path: string,
  id: string,
  signal?: AbortSignal,
): Promise<StoredDocument | null> {
  try {
    const { results } = await api.get<DocumentPage>(`${path}/${encodeURIComponent(id)}`, {
      query: { compose: false, cache: false },
      ...(signal && { signal }),
    });
    return results[0] ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** The same. It is not asked for again while somebody edits it. */
export function useDocument(path: string, id: string) {
  const api = useApi();
  return useQuery({
    queryKey: documentKey(path, id),
    queryFn: ({ signal }) => fetchDocument(api, path, id, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

interface Update {
  readonly id: string;
  readonly body: JsonObject;
  /** The state that the change begins with; absent: whatever it is now. */
  readonly v?: number;
}

const ifMatch = (v: number | undefined): Record<string, string> =>
  v === undefined ? {} : { 'if-match': `"${v}"` };

/** Writes of documents; lists are asked for again after each. */
export function useDocumentWrites(path: string) {
  const api = useApi();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: ['documents'] });
  const keep = async ({ results }: Results<StoredDocument>) => {
    for (const document of results) queries.setQueryData(documentKey(path, document._id), document);
    await refresh();
  };
  const query = { compose: false };
  const at = (id: string) => `${path}/${encodeURIComponent(id)}`;
  const create = useMutation({
    mutationFn: (body: JsonObject) => api.send<Results<StoredDocument>>('POST', path, body, { query }),
    onSuccess: refresh,
  });
  const update = useMutation({
    mutationFn: ({ id, body, v }: Update) =>
      api.send<Results<StoredDocument>>('PUT', at(id), body, { query, headers: ifMatch(v) }),
    onSuccess: keep,
  });
  const remove = useMutation({
    mutationFn: ({ id, v }: Pick<Update, 'id' | 'v'>) =>
      api.send<undefined>('DELETE', at(id), undefined, { headers: ifMatch(v) }),
    onSuccess: refresh,
  });
  const restore = useMutation({
    mutationFn: ({ id, revision }: { readonly id: string; readonly revision: string }) =>
      api.send<Results<StoredDocument>>('POST', `${at(id)}/revisions/${revision}/restore`, undefined, {
        query,
      }),
    onSuccess: keep,
  });
  return { create, update, remove, restore };
}
