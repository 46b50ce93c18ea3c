// The documents of a collection: one page of them, in an order and by a filter that are in the address.
import { Anchor, Button, NativeSelect, Stack, UnstyledButton } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { isAdmin, useMe } from '../../../api/api-context.tsx';
import type { CollectionDescription, StoredDocument } from '../../../api/types-collections.ts';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { Answer, Empty } from '../../../parts/loading.tsx';
import { View } from '../../../shell/view.tsx';
import { type CollectionAddress, collectionPath } from '../address.ts';
import { useCollection, useDocuments } from '../collection-queries.ts';
import { columnsOf, type Field, fieldsOf, memberOf } from '../fields/field.ts';
import { valueText } from '../fields/value-text.ts';
import { hasDeletedList } from '../revisions/deleted-list.tsx';
import classes from './document-list.module.css';
import { formatListState, type ListState, listQuery, parseListState } from './list-address.ts';
import { Pager } from './pager.tsx';
import { SearchForm } from './search-form.tsx';

const TRAIL = [{ name: 'Collections', href: '/' }];

export function DocumentList({ address }: { readonly address: CollectionAddress }) {
  const me = useMe();
  const path = collectionPath(address);
  const query = useCollection(path);
  const mayCreate = query.data?.actions.includes('create') === true;
  const actions = (
    <>
      {mayCreate && (
        <Button component={Link} href={query.data?.isMedia ? `~/admin/media${path}/upload` : `${path}/new`}>
          {query.data?.isMedia ? 'Upload' : 'New'}
        </Button>
      )}
      {query.data !== undefined && hasDeletedList(query.data) && (
        <Button component={Link} href={`${path}/deleted`} variant="default">
          Deleted
        </Button>
      )}
      {isAdmin(me) && (
        <Button component={Link} href={`${path}/specification`} variant="default">
          Specification
        </Button>
      )}
    </>
  );
  return (
    <View title={query.data?.name ?? address.name} trail={TRAIL} actions={actions}>
      <Answer query={query} what={`the collection ${address.name}`}>
        {(collection) =>
          collection.actions.includes('read') ? (
            <Documents path={path} collection={collection} />
          ) : (
            <Empty text="You may not read the documents of this collection." />
          )
        }
      </Answer>
    </View>
  );
}

interface SortButtonProps {
  readonly field: Field;
  readonly state: ListState;
  readonly onChange: (change: Partial<ListState>) => void;
}

function SortButton({ field: { name, label }, state, onChange }: SortButtonProps) {
  const isSorted = state.sort === name;
  const arrow = state.isDescending ? '▼' : '▲';
  return (
    <>
      <UnstyledButton
        fw={700}
        className={classes['wide'] ?? ''}
        onClick={() => onChange({ sort: name, isDescending: isSorted && !state.isDescending, page: 1 })}
      >
        {label} <span aria-hidden>{isSorted ? arrow : '↕'}</span>
      </UnstyledButton>
      <span className={classes['narrow']}>{label}</span>
    </>
  );
}

interface SortSelectProps {
  readonly fields: readonly Field[];
  readonly state: ListState;
  readonly onChange: (change: Partial<ListState>) => void;
}

/** Where the window is so narrow that the table has no headers. */
function SortSelect({ fields, state, onChange }: SortSelectProps) {
  const choices = fields.flatMap(({ name, label }) =>
    [false, true].map((isDescending) => ({ name, label, isDescending })),
  );
  const chosen = choices.findIndex(
    ({ name, isDescending }) => name === state.sort && isDescending === state.isDescending,
  );
  return (
    <NativeSelect
      className={classes['narrow'] ?? ''}
      label="Order"
      value={String(chosen)}
      data={[
        { value: '-1', label: 'as they were made' },
        ...choices.map(({ label, isDescending }, index) => ({
          value: String(index),
          label: `${label}, ${isDescending ? 'descending' : 'ascending'}`,
        })),
      ]}
      onChange={(event) => {
        const { name = '', isDescending = false } = choices[Number(event.currentTarget.value)] ?? {};
        onChange({ sort: name, isDescending, page: 1 });
      }}
    />
  );
}

const directionOf = ({ isDescending }: ListState) => (isDescending ? 'descending' : 'ascending');

/** Labels that two fields share are told apart by the names. */
function labelsOf(fields: readonly Field[]): ReadonlyMap<string, string> {
  const isShared = (label: string) => fields.filter((field) => field.label === label).length > 1;
  return new Map(fields.map(({ name, label }) => [name, isShared(label) ? `${label} (${name})` : label]));
}

function Documents({
  path,
  collection,
}: {
  readonly path: string;
  readonly collection: CollectionDescription;
}) {
  const [search, setSearch] = useSearchParams();
  const state = parseListState(search, collection);
  const fields = fieldsOf(collection);
  const columns = columnsOf(fields);
  const query = useDocuments(path, listQuery(state, columns, collection.settings.count));
  const change = (part: Partial<ListState>) =>
    setSearch({ ...formatListState({ ...state, ...part }, collection) });
  const labels = labelsOf(columns);
  const shown = columns.map((field, index): Column<StoredDocument> => {
    const label = labels.get(field.name) ?? field.name;
    return {
      label,
      isName: index === 0,
      header: <SortButton field={{ ...field, label }} state={state} onChange={change} />,
      sort: state.sort === field.name ? directionOf(state) : undefined,
      cell: (document) => {
        const text = valueText(memberOf(document, field.name), field);
        if (index > 0) return text;
        return (
          <Anchor component={Link} href={`${path}/${encodeURIComponent(String(document._id))}`}>
            {text.trim() === '' ? String(document._id) : text}
          </Anchor>
        );
      },
    };
  });
  const ids: Column<StoredDocument> = {
    label: 'Id',
    isName: true,
    cell: ({ _id }) => (
      <Anchor component={Link} href={`${path}/${encodeURIComponent(String(_id))}`}>
        {String(_id)}
      </Anchor>
    ),
  };
  return (
    <Stack>
      <SearchForm
        key={state.filter}
        fields={fields}
        filter={state.filter}
        onChange={(filter) => change({ filter, page: 1 })}
      />
      <SortSelect fields={fields} state={state} onChange={change} />
      <Answer query={query} what="the documents">
        {({ results, metadata }) => (
          <Stack aria-busy={query.isPlaceholderData}>
            {results.length === 0 ? (
              <Empty text={state.filter === '' ? 'There are no documents here.' : 'No document matches.'} />
            ) : (
              <DataTable
                caption={collection.name}
                columns={shown.length === 0 ? [ids] : shown}
                rows={results}
                keyOf={({ _id }) => String(_id)}
              />
            )}
            <Pager
              page={state.page}
              pages={metadata.totalPages}
              total={metadata.totalCount}
              what="documents"
              onChange={(page) => change({ page })}
            />
          </Stack>
        )}
      </Answer>
    </Stack>
  );
}
