// What the views of clients ask the server for.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { pathOf } from '../../api/api.ts';
import { useApi } from '../../api/api-context.tsx';
import type { ClientChange, Clients, NewClientBody, TokenAnswer } from '../../api/types.ts';

const clientPath = (clientId: string) => pathOf('api', 'clients', clientId);

export function useClients() {
  const api = useApi();
  return useQuery({
    queryKey: ['clients'],
    queryFn: ({ signal }) => api.get<Clients>('/api/clients', { signal }),
  });
}

export function useClient(clientId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['clients', clientId],
    queryFn: async ({ signal }) => {
      const { results } = await api.get<Clients>(clientPath(clientId), { signal });
      return results[0] ?? null;
    },
  });
}

/** Writes of clients; what is shown of them is asked for again after each. */
export function useClientWrites() {
  const api = useApi();
  const queries = useQueryClient();
  // The client may be the one that has signed in.
  const onSuccess = () =>
    Promise.all(['clients', 'me'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  const create = useMutation({
    mutationFn: (body: NewClientBody) => api.send<Clients>('POST', '/api/clients', body),
    onSuccess,
  });
  const update = useMutation({
    mutationFn: ({ clientId, ...change }: ClientChange & { readonly clientId: string }) =>
      api.send<Clients>('PUT', clientPath(clientId), change),
    onSuccess,
  });
  const renewSecret = useMutation({
    mutationFn: (clientId: string) => api.send<Clients>('PUT', `${clientPath(clientId)}/secret`),
  });
  const remove = useMutation({
    mutationFn: (clientId: string) => api.send<undefined>('DELETE', clientPath(clientId)),
    onSuccess,
  });
  const signIn = (credentials: { readonly clientId: string; readonly secret: string }) =>
    api.send<TokenAnswer>('POST', '/token', credentials);
  return { create, update, renewSecret, remove, signIn };
}
