// All collections that the caller may do anything with.
import { Anchor, Badge, Button, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { isAdmin, useApi, useMe } from '../../api/api-context.tsx';
import type {
  CollectionList as CollectionListAnswer,
  CollectionRights,
  ListedCollection,
} from '../../api/types.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Answer, Empty } from '../../parts/loading.tsx';
import { Time } from '../../parts/time.tsx';
import { View } from '../../shell/view.tsx';
import { actionsInWords } from './address.ts';

interface Row extends CollectionRights {
  /** What the listing knows: nothing of a collection that the caller may not read. */
  readonly entry: ListedCollection | undefined;
}

const nameOf = ({ path, entry }: Row) => entry?.name ?? path.slice(path.lastIndexOf('/') + 1);

const INDEX_WORDS = {
  building: 'Indexes are being built',
  waiting: 'Indexes are built after the next start',
  failed: 'Indexes could not be built: see the log of the server',
} as const;
/** Milliseconds until the list is asked for again while indexes are being built. */
const ASK_AGAIN_MS = 2000;

function IndexNote({
  build: { state, since },
}: {
  readonly build: NonNullable<ListedCollection['indexes']>;
}) {
  return (
    <Text size="sm" c={state === 'failed' ? 'red' : 'dimmed'}>
      {INDEX_WORDS[state]}, since <Time at={since} />
    </Text>
  );
}

const NAMES: Column<Row> = {
  label: 'Name',
  isName: true,
  cell: (row) => (
    <Group gap="xs">
      <Anchor component={Link} href={row.path}>
        {nameOf(row)}
      </Anchor>
      {row.isMedia === true && <Badge variant="outline">Media</Badge>}
      {row.entry?.indexes !== undefined && <IndexNote build={row.entry.indexes} />}
    </Group>
  ),
};
const PATHS: Column<Row> = { label: 'Address', cell: ({ path }) => <span className="mono">{path}</span> };
const RIGHTS: Column<Row> = { label: 'You may', cell: ({ actions }) => actionsInWords(actions) };
const CHANGES: Column<Row> = {
  label: 'Specification changed',
  cell: ({ entry }) =>
    entry?.lastModifiedAt === undefined ? 'not over the API' : <Time at={entry.lastModifiedAt} />,
};

function matches(row: Row, words: string): boolean {
  const text = `${nameOf(row)} ${row.path}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function CollectionList() {
  const api = useApi();
  const me = useMe();
  const [search, setSearch] = useSearchParams();
  const words = search.get('search') ?? '';
  const query = useQuery({
    queryKey: ['collections'],
    queryFn: ({ signal }) => api.get<CollectionListAnswer>('/api/collections', { signal }),
    refetchInterval: ({ state }) =>
      state.data?.collections.some(({ indexes }) => indexes?.state === 'building') === true && ASK_AGAIN_MS,
  });
  const add = isAdmin(me) && (
    <Button component={Link} href="/new">
      New
    </Button>
  );
  return (
    <View title="Collections" actions={add}>
      <TextInput
        label="Search"
        type="search"
        maw="24rem"
        value={words}
        onChange={(event) => {
          const text = event.currentTarget.value;
          setSearch(text === '' ? {} : { search: text }, { replace: true });
        }}
      />
      <Answer query={query} what="the collections">
        {({ collections }) => <Rows collections={collections} words={words} />}
      </Answer>
    </View>
  );
}

function Rows({
  collections,
  words,
}: {
  readonly collections: readonly ListedCollection[];
  readonly words: string;
}) {
  const me = useMe();
  const byPath = new Map(collections.map((entry) => [entry.path, entry]));
  const all = me.collections.map((rights): Row => ({ ...rights, entry: byPath.get(rights.path) }));
  const rows = all.filter((row) => matches(row, words));
  if (all.length === 0) {
    return (
      <Empty
        text={
          isAdmin(me)
            ? 'There are no collections yet. "New" makes the first one.'
            : 'There are no collections that you may use.'
        }
      />
    );
  }
  if (rows.length === 0) return <Empty text={`No collection has "${words}" in its name or address.`} />;
  const columns = isAdmin(me) ? [NAMES, PATHS, CHANGES] : [NAMES, PATHS, RIGHTS];
  return <DataTable caption="Collections" columns={columns} rows={rows} keyOf={({ path }) => path} />;
}
