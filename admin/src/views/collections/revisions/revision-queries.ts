// The revisions of a document, newest first.
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/api-context.tsx';
import type { DocumentPage } from '../../../api/types-collections.ts';

/** Revisions of a page. */
const PAGE_SIZE = 20;

export function useRevisions(path: string, id: string, page: number) {
  const api = useApi();
  const sort = JSON.stringify({ _id: -1 });
  return useQuery({
    queryKey: ['documents', path, id, 'history', page],
    queryFn: ({ signal }) =>
      api.get<DocumentPage>(`${path}/${encodeURIComponent(id)}/history`, {
        query: { sort, page, count: PAGE_SIZE, compose: false, cache: false },
        signal,
      }),
  });
}
