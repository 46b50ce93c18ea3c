// What the views of routes and recipes ask the server for.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ifMatch, pathOf } from '../../api/api.ts';
import { useApi } from '../../api/api-context.tsx';
import { ApiError } from '../../api/api-error.ts';
import type { JsonObject } from '../../api/types.ts';
import { type DefinitionNoun, type NamedDefinition, readDefinition } from './definition.ts';

const listPath = (noun: DefinitionNoun) => `/api/${noun}s`;
const pathOfOne = (noun: DefinitionNoun, name: string) => pathOf('api', `${noun}s`, name);

/** All of a kind, by name. */
export function useDefinitions(noun: DefinitionNoun) {
  const api = useApi();
  return useQuery({
    queryKey: ['definitions', noun],
    queryFn: async ({ signal }): Promise<readonly NamedDefinition[]> => {
      const answer = await api.get<Readonly<Record<string, readonly JsonObject[]>>>(listPath(noun), {
        signal,
      });
      return (answer[`${noun}s`] ?? [])
        .map((source) => readDefinition(noun, source))
        .sort((a, b) => a.name.localeCompare(b.name));
    },
  });
}

interface CurrentDefinition {
  readonly document: JsonObject;
  readonly etag: string | undefined;
}

/** Finds out what a definition is at this moment; null: there is none. */
export function useCurrentDefinition(noun: DefinitionNoun) {
  const api = useApi();
  return async (name: string, signal?: AbortSignal): Promise<CurrentDefinition | null> => {
    try {
      const { body, etag } = await api.getTagged<JsonObject>(pathOfOne(noun, name), {
        ...(signal && { signal }),
      });
      return { document: readDefinition(noun, body).document, etag };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  };
}

/** One definition; it is not asked for again while somebody edits it. */
export function useDefinition(noun: DefinitionNoun, name: string) {
  const current = useCurrentDefinition(noun);
  return useQuery({
    queryKey: ['definition', noun, name],
    queryFn: async ({ signal }) => (await current(name, signal))?.document ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** Writes of definitions; lists, and what routes decide, are asked for again after each. */
export function useDefinitionWrites(noun: DefinitionNoun) {
  const api = useApi();
  const queries = useQueryClient();
  const onSuccess = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['definitions'] }),
      queries.invalidateQueries({ queryKey: ['decision'] }),
    ]);
  };
  const create = useMutation({
    mutationFn: ({ name, document }: NamedDefinition) =>
      api.send('POST', listPath(noun), { [noun]: name, ...document }),
    onSuccess,
  });
  const replace = useMutation({
    mutationFn: ({ name, document, etag }: NamedDefinition & Pick<CurrentDefinition, 'etag'>) =>
      api.send('PUT', pathOfOne(noun, name), document, { headers: ifMatch(etag) }),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: (name: string) => api.send('DELETE', pathOfOne(noun, name)),
    onSuccess,
  });
  return { create, replace, remove };
}
