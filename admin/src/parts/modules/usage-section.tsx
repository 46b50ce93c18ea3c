// What an endpoint or hook has used in the last hour: calls, errors, processor time and memory, in sum and by the minute.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/api-context.tsx';
import type { ModuleUsage } from '../../api/types-modules.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { Facts } from '../facts.tsx';
import { Answer, Empty } from '../loading.tsx';
import { formatNumber, Time } from '../time.tsx';
import { apiPathOf, type ModuleRef } from './module-ref.ts';

const POLL_MS = 15_000;

type Minute = ModuleUsage['buckets'][number];

const milliseconds = (value: number) => `${formatNumber(Math.round(value))} ms`;

const COLUMNS: readonly Column<Minute>[] = [
  { label: 'Minute', isName: true, cell: ({ at }) => <Time at={at} /> },
  { label: 'Calls', cell: ({ calls }) => formatNumber(calls) },
  { label: 'Errors', cell: ({ errors }) => formatNumber(errors) },
  { label: 'Processor time', cell: ({ cpuMs }) => milliseconds(cpuMs) },
];

const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10);

export function UsageSection({ of: ref }: { readonly of: ModuleRef }) {
  const api = useApi();
  const query = useQuery({
    queryKey: ['module', apiPathOf(ref), ref.kind, 'usage'],
    refetchInterval: POLL_MS,
    queryFn: ({ signal }) => api.get<ModuleUsage>(apiPathOf(ref, 'usage'), { signal }),
  });
  return (
    <Answer query={query} what="the usage">
      {({ from, to, calls, errors, cpuMs, maxHeapMb, buckets }) => {
        const busy = buckets.filter((minute) => minute.calls > 0 || minute.errors > 0 || minute.cpuMs > 0);
        return (
          <Stack>
            <Group>
              <Text>
                From <Time at={from} /> to <Time at={to} />
              </Text>
              <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
                Refresh
              </Button>
            </Group>
            <Facts
              facts={[
                ['Calls', formatNumber(calls)],
                ['Errors', `${formatNumber(errors)} (${share(errors, calls)} % of the calls)`],
                [
                  'Processor time',
                  calls === 0
                    ? milliseconds(cpuMs)
                    : `${milliseconds(cpuMs)}, ${milliseconds(cpuMs / calls)} a call`,
                ],
                ['Most memory', maxHeapMb === null ? 'not known' : `${formatNumber(maxHeapMb)} MB`],
              ]}
            />
            <Title order={2}>By the minute</Title>
            {busy.length === 0 ? (
              <Empty text="There was no call in this hour." />
            ) : (
              <DataTable
                caption="Usage by the minute"
                columns={COLUMNS}
                rows={busy.toSorted((a, b) => b.at - a.at)}
                keyOf={({ at }) => `${at}`}
              />
            )}
          </Stack>
        );
      }}
    </Answer>
  );
}
