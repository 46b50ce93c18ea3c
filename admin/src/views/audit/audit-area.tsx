// The view of the area "Audit log": entries, newest first, with filters that are part of the address; and the verification.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Route, Switch, useSearchParams } from 'wouter';
import { useApi } from '../../api/api-context.tsx';
import type { AuditPage } from '../../api/types.ts';
import { Answer, Empty } from '../../parts/loading.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { View } from '../../shell/view.tsx';
import { AuditEntries } from './audit-entries.tsx';
import { Verification } from './verification.tsx';

const PAGE_SIZE = 100;

export function AuditArea() {
  return (
    <Switch>
      <Route path="/" component={AuditView} />
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

/** Names of the filters, as the server and the address have them. */
const FILTERS = ['clientId', 'action', 'target'] as const;
type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

function filtersOf(search: URLSearchParams): Filters {
  const given = FILTERS.map((name) => [name, search.get(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== ''));
}

function AuditView() {
  const api = useApi();
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const query = useInfiniteQuery({
    queryKey: ['audit', filters],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.get<AuditPage>('/api/audit', {
        query: { ...filters, order: 'newest', limit: PAGE_SIZE, before: pageParam },
        signal,
      }),
    // A page that is not full is the last one.
    getNextPageParam: ({ audit }) => (audit.length < PAGE_SIZE ? undefined : audit.at(-1)?.seq),
  });
  return (
    <View title="Audit log">
      <Verification />
      <FilterForm
        key={JSON.stringify(filters)}
        filters={filters}
        onChange={(next) => setSearch({ ...next })}
      />
      <Answer query={query} what="the entries">
        {({ pages }) => {
          const entries = pages.flatMap(({ audit }) => audit);
          if (entries.length === 0) return <Empty text="No entry matches." />;
          return (
            <Stack>
              <AuditEntries entries={entries} onFilter={(next) => setSearch({ ...filters, ...next })} />
              {query.hasNextPage ? (
                <Button
                  variant="default"
                  w="fit-content"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  Show older entries
                </Button>
              ) : (
                <Text size="sm">There are no older entries.</Text>
              )}
            </Stack>
          );
        }}
      </Answer>
    </View>
  );
}

interface FilterFormProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

function FilterForm({ filters, onChange }: FilterFormProps) {
  const [draft, setDraft] = useState(filters);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== '')));
  };
  const field = (name: (typeof FILTERS)[number]) => ({
    value: draft[name] ?? '',
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setDraft({ ...draft, [name]: event.currentTarget.value }),
  });
  return (
    <form onSubmit={submit} aria-label="Filter">
      <Group align="flex-end">
        <TextInput label="Client" {...field('clientId')} />
        <TextInput label="Action" placeholder="such as specification" {...field('action')} />
        <TextInput label="Target" placeholder="such as /1.0/library" {...field('target')} />
        <Button type="submit" variant="default">
          Filter
        </Button>
        {Object.keys(filters).length > 0 && (
          <Button variant="default" onClick={() => onChange({})}>
            Show all
          </Button>
        )}
      </Group>
    </form>
  );
}
