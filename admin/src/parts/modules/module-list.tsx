// All endpoints, or all hooks: their states, and what waits for approval.
import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { View } from '../../shell/view.tsx';
import { type Column, DataTable } from '../data-table.tsx';
import { Answer, Empty } from '../loading.tsx';
import { Time } from '../time.tsx';
import { type ListedModule, useCodeRights, useModules } from './module-queries.ts';
import { areaOf, hrefOf, type ModuleKind, titleOf } from './module-ref.ts';
import { StateBadge, SuspensionText, stateWords } from './module-state.tsx';
import { reviewHref, useWaitingVersions, waitingIn } from './review-queries.ts';

const NAMES: Column<ListedModule> = {
  label: 'Name',
  isName: true,
  cell: ({ ref }) => (
    <Anchor component={Link} href={hrefOf(ref)} className="wrap">
      {titleOf(ref)}
    </Anchor>
  ),
};
const STATES: Column<ListedModule> = {
  label: 'State',
  cell: (row) => (
    <Stack gap={4}>
      <StateBadge of={row} />
      {row.suspension !== undefined && <SuspensionText suspension={row.suspension} />}
    </Stack>
  ),
};
const ADDRESSES: Column<ListedModule> = {
  label: 'Answers',
  cell: (row) => (
    <span className="mono wrap">
      {'methods' in row ? `${row.methods.join(', ')} ` : ''}
      {row.path}
    </span>
  ),
};
const WAITING: Column<ListedModule> = {
  label: 'Waiting',
  cell: (row) => {
    const waiting = waitingIn(row);
    return waiting.length === 0 ? (
      'nothing'
    ) : (
      <Stack gap={4}>
        {waiting.map((one) => (
          <span key={one.version} className="wrap">
            <Anchor component={Link} href={reviewHref(one.ref, one.version)}>
              version {one.version}
            </Anchor>{' '}
            since <Time at={one.at} /> by {one.by ?? 'nobody'}
          </span>
        ))}
      </Stack>
    );
  },
};
const CHANGES: Column<ListedModule> = {
  label: 'Changed',
  cell: ({ lastModifiedAt }) => (lastModifiedAt === 0 ? 'not yet' : <Time at={lastModifiedAt} />),
};

function Rows({
  kind,
  modules,
  words,
}: {
  readonly kind: ModuleKind;
  readonly modules: readonly ListedModule[];
  readonly words: string;
}) {
  const { mayChange, mayRead } = useCodeRights();
  const rows = modules.filter((one) =>
    `${titleOf(one.ref)} ${one.path} ${stateWords(one)}`.toLowerCase().includes(words.trim().toLowerCase()),
  );
  if (modules.length === 0) {
    return <Empty text={`There are no ${kind}s yet.${mayChange ? ' "New" makes the first one.' : ''}`} />;
  }
  if (rows.length === 0) return <Empty text={`No ${kind} has "${words}" in its name, address or state.`} />;
  const columns = [
    ...[NAMES, STATES],
    ...(kind === 'endpoint' ? [ADDRESSES] : []),
    ...(mayRead ? [WAITING] : []),
    CHANGES,
  ];
  return (
    <DataTable caption={areaOf(kind).name} columns={columns} rows={rows} keyOf={({ ref }) => titleOf(ref)} />
  );
}

export function ModuleList({ kind }: { readonly kind: ModuleKind }) {
  const { mayChange, mayRead } = useCodeRights();
  const [search, setSearch] = useSearchParams();
  const words = search.get('search') ?? '';
  const query = useModules(kind);
  const waiting = useWaitingVersions(mayRead).data?.length ?? 0;
  const actions = (
    <>
      {mayRead && (
        <Button component={Link} href="~/admin/endpoints/review" variant="default">
          {waiting === 0 ? 'Review' : `Review (${waiting})`}
        </Button>
      )}
      {mayChange && (
        <Button component={Link} href="/new">
          New
        </Button>
      )}
    </>
  );
  return (
    <View title={areaOf(kind).name} actions={actions}>
      <TextInput
        label="Search"
        description="A part of the name or address, or a state such as suspended"
        type="search"
        maw="24rem"
        value={words}
        onChange={(event) => {
          const text = event.currentTarget.value;
          setSearch(text === '' ? {} : { search: text }, { replace: true });
        }}
      />
      <Answer query={query} what={`the ${kind}s`}>
        {(modules) => <Rows kind={kind} modules={modules} words={words} />}
      </Answer>
    </View>
  );
}
