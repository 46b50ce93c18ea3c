// What the views of clients ask the server for.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, ifMatch, pathOf, type Tagged } from '../../api/api.ts';
import { useApi } from '../../api/api-context.tsx';
import type { Client, ClientChange, Clients, NewClientBody, TokenAnswer } from '../../api/types.ts';

const clientKey = (clientId: string) => ['clients', clientId];
const clientPath = (clientId: string) => pathOf('api', 'clients', clientId);

export function useClients() {
  const api = useApi();
  return useQuery({
    queryKey: ['clients'],
    queryFn: ({ signal }) => api.get<Clients>('/api/clients', { signal }),
  });
}

/** One client as it is at this moment, with its ETag. */
async function fetchClient(api: Api, clientId: string, signal?: AbortSignal): Promise<Tagged<Client> | null> {
  const { body, etag } = await api.getTagged<Clients>(
    clientPath(clientId),
    signal === undefined ? {} : { signal },
  );
  const [client] = body.results;
  return client === undefined ? null : { body: client, etag };
}

export function useClient(clientId: string) {
  const api = useApi();
  return useQuery({
    queryKey: clientKey(clientId),
    queryFn: ({ signal }) => fetchClient(api, clientId, signal),
  });
}

interface ClientUpdate {
  readonly clientId: string;
  readonly change: ClientChange;
  /** Of the state that the change begins with; absent: whatever it is now. */
  readonly etag?: string | undefined;
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
    mutationFn: ({ clientId, change, etag }: ClientUpdate) =>
      api.send<Clients>('PUT', clientPath(clientId), change, { headers: ifMatch(etag) }),
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
  const present = (clientId: string) => fetchClient(api, clientId);
  /** Shows this state of a client from now on. */
  const take = (clientId: string, state: Tagged<Client> | null) =>
    queries.setQueryData(clientKey(clientId), state);
  return { present, take, create, update, renewSecret, remove, signIn };
}
