// The documents of a collection that were deleted: when and by whom, and the way back of each.
import { Anchor, Button, Group, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { useApi } from '../../../api/api-context.tsx';
import type { CollectionDescription, DeletedDocument, DeletedPage } from '../../../api/types-collections.ts';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { useDialogs } from '../../../parts/dialogs.tsx';
import { ErrorMessage } from '../../../parts/error-message.tsx';
import { Answer, Empty } from '../../../parts/loading.tsx';
import { Time } from '../../../parts/time.tsx';
import { useToasts } from '../../../parts/toasts.tsx';
import { View } from '../../../shell/view.tsx';
import { type CollectionAddress, collectionPath } from '../address.ts';
import { useCollection, useDocumentWrites } from '../collection-queries.ts';
import { Pager } from '../documents/pager.tsx';
import { columnsOf, fieldsOf, memberOf, titleField } from '../fields/field.ts';
import { titleOf, valueText } from '../fields/value-text.ts';

/** Documents of a page. */
const PAGE_SIZE = 40;

/** Whether a collection has a list of deleted documents for the caller. */
export const hasDeletedList = ({ settings, actions }: CollectionDescription): boolean =>
  settings.storeRevisions && actions.includes('read') && actions.includes('history');

export function DeletedList({ address }: { readonly address: CollectionAddress }) {
  const path = collectionPath(address);
  const query = useCollection(path);
  const name = query.data?.name ?? address.name;
  const trail = [
    { name: 'Collections', href: '/' },
    { name, href: path },
  ];
  return (
    <View title={`Deleted from ${name}`} trail={trail}>
      <Answer query={query} what={`the collection ${address.name}`}>
        {(collection) =>
          hasDeletedList(collection) ? (
            <Deleted path={path} collection={collection} />
          ) : (
            <Empty text="This collection keeps no revisions, or you may not see what was deleted from it." />
          )
        }
      </Answer>
    </View>
  );
}

function useDeleted(path: string, page: number, fields: readonly string[]) {
  const api = useApi();
  return useQuery({
    queryKey: ['documents', path, 'deleted', page],
    queryFn: ({ signal }) =>
      api.get<DeletedPage>(`/api/me/collections${path}/deleted`, {
        query: {
          page,
          count: PAGE_SIZE,
          ...(fields.length > 0 && {
            fields: JSON.stringify(Object.fromEntries(fields.map((one) => [one, 1]))),
          }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

interface DeletedProps {
  readonly path: string;
  readonly collection: CollectionDescription;
}

function Deleted({ path, collection }: DeletedProps) {
  const [search, setSearch] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(search.get('page') ?? '1')) || 1);
  const fields = columnsOf(fieldsOf(collection));
  const title = titleField(fieldsOf(collection));
  const names = new Set([...fields, ...(title === undefined ? [] : [title])].map((field) => field.name));
  const query = useDeleted(path, page, [...names]);
  const restore = useRestore(path);
  const needed = ['create', 'update'] as const;
  const mayRestore = !collection.isMedia && needed.every((action) => collection.actions.includes(action));
  const columns: readonly Column<DeletedDocument>[] = [
    ...fields.map(
      (field, index): Column<DeletedDocument> => ({
        label: field.label,
        isName: index === 0,
        cell: ({ id, document }) => {
          const text = valueText(memberOf(document, field.name), field);
          return index === 0 && text.trim() === '' ? id : text;
        },
      }),
    ),
    { label: 'Deleted', isName: fields.length === 0, cell: ({ removedAt }) => <Time at={removedAt} /> },
    { label: 'By', cell: ({ removedBy }) => removedBy ?? 'nobody that signed in' },
    {
      label: 'What can be done',
      cell: (deleted) => {
        const name = titleOf(deleted.document, title);
        return (
          <Group gap="xs">
            {mayRestore && (
              <Button
                variant="default"
                size="compact-sm"
                aria-description={name}
                onClick={() => void restore.ask(deleted, name)}
              >
                Restore
              </Button>
            )}
            <Anchor component={Link} href={`${path}/${deleted.id}/revisions`} aria-description={name}>
              Revisions
            </Anchor>
          </Group>
        );
      },
    },
  ];
  return (
    <Stack>
      {restore.error !== null && <ErrorMessage error={restore.error} />}
      <Answer query={query} what="what was deleted">
        {({ results, metadata }) => (
          <Stack aria-busy={query.isPlaceholderData}>
            {results.length === 0 ? (
              <Empty text="Nothing that was deleted can be restored, or nothing that you may see." />
            ) : (
              <DataTable
                caption="Deleted documents"
                columns={columns}
                rows={results}
                keyOf={({ revision }) => revision}
              />
            )}
            <Pager
              page={page}
              pages={metadata.totalPages}
              total={metadata.totalCount}
              what="deleted documents"
              onChange={(next) => setSearch(next > 1 ? { page: String(next) } : {})}
            />
          </Stack>
        )}
      </Answer>
    </Stack>
  );
}

function useRestore(path: string) {
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { restore } = useDocumentWrites(path);
  const ask = async ({ id, revision }: DeletedDocument, name: string) => {
    const isSure = await dialogs.confirm({
      title: `Restore ${name}?`,
      gone: [],
      note: 'It will be there again as it was last, under its id.',
      action: 'Restore',
    });
    if (!isSure) return;
    restore.mutate({ id, revision }, { onSuccess: () => toasts.say(`${name} is there again.`) });
  };
  return { ask, error: restore.error };
}
