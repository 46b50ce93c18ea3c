// Reads and writes of specifications.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ifMatch, type Tagged } from '../../../api/api.ts';
import { useApi } from '../../../api/api-context.tsx';
import { ApiError } from '../../../api/api-error.ts';
import type { JsonObject } from '../../../api/types.ts';
import type { SpecificationChange } from '../../../api/types-collections.ts';

const specificationKey = (path: string) => ['specification', path];

/** The specification as it was written. It is not asked for again while somebody edits it. */
export function useSpecification(path: string) {
  const api = useApi();
  return useQuery({
    queryKey: specificationKey(path),
    queryFn: ({ signal }) => api.get<JsonObject>(`${path}/config`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

export function useSpecificationWrites() {
  const api = useApi();
  const queries = useQueryClient();
  const refresh = () =>
    Promise.all(
      ['me', 'collections', 'collection', 'documents'].map((key) =>
        queries.invalidateQueries({ queryKey: [key] }),
      ),
    );
  /** What is in force now, with its ETag; null: nothing. */
  const present = async (path: string): Promise<Tagged<JsonObject> | null> => {
    try {
      return await api.getTagged<JsonObject>(`${path}/config`);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  };
  const save = useMutation({
    mutationFn: ({
      path,
      text,
      force,
      etag,
    }: {
      readonly path: string;
      readonly text: string;
      readonly force?: true;
      /** Of the state that is replaced; absent: whatever there is. */
      readonly etag?: string | undefined;
    }) =>
      // As it was written: numbers keep their digits.
      api.send<SpecificationChange>('POST', `${path}/config`, text, {
        ...(force && { query: { force } }),
        headers: ifMatch(etag),
      }),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: ({ path, force }: { readonly path: string; readonly force?: true }) =>
      api.send<SpecificationChange>('DELETE', `${path}/config`, undefined, force ? { query: { force } } : {}),
    onSuccess: refresh,
  });
  const take = (path: string, value: JsonObject) => queries.setQueryData(specificationKey(path), value);
  return { present, save, remove, take };
}
