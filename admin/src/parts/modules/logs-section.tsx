// What the code of an endpoint or hook has logged, as it is written. Whatever the code wrote is shown as text.
import { Badge, Button, Code, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useApi } from '../../api/api-context.tsx';
import type { LogRecord, ModuleLogs } from '../../api/types-modules.ts';
import { type Column, DataTable } from '../data-table.tsx';
import { Answer, Empty } from '../loading.tsx';
import { formatNumber, Time } from '../time.tsx';
import { apiPathOf, type ModuleRef } from './module-ref.ts';

const POLL_MS = 2000;
/** As many as the server keeps. */
const MAX_SHOWN = 1000;
const LEVELS = ['debug', 'log', 'info', 'warn', 'error'];

const COLUMNS: readonly Column<LogRecord>[] = [
  { label: 'When', isName: true, cell: ({ at }) => <Time at={at} /> },
  {
    label: 'Level',
    cell: ({ level = 'log' }) => (
      <Badge variant="outline" color={level === 'error' ? 'red' : 'blue'}>
        {level}
      </Badge>
    ),
  },
  {
    label: 'Message',
    cell: ({ message, stack }) => (
      <>
        <Text className="mono wrap" size="sm">
          {message}
        </Text>
        {stack !== undefined && (
          <Code block className="wrap" tabIndex={0}>
            {stack}
          </Code>
        )}
      </>
    ),
  },
  { label: 'Version', cell: ({ version }) => version },
  {
    label: 'Request',
    cell: ({ requestId }) => (
      <Text className="mono wrap" size="xs">
        {requestId}
      </Text>
    ),
  },
];

export function LogsSection({ of: ref }: { readonly of: ModuleRef }) {
  const api = useApi();
  const queries = useQueryClient();
  const [search, setSearch] = useSearchParams();
  const [isPaused, setPaused] = useState(false);
  const level = search.get('level');
  const queryKey = ['module', apiPathOf(ref), ref.kind, 'logs'];
  const query = useQuery({
    queryKey,
    refetchInterval: isPaused ? false : POLL_MS,
    refetchOnWindowFocus: !isPaused,
    queryFn: async ({ signal }) => {
      const known = queries.getQueryData<readonly LogRecord[]>(queryKey) ?? [];
      const after = known.at(-1)?.seq ?? 0;
      const path = apiPathOf(ref, 'logs');
      const { logs } = await api.get<ModuleLogs>(path, { signal, query: { after } });
      return [...known, ...logs].slice(-MAX_SHOWN);
    },
  });
  return (
    <Stack>
      <Group align="flex-end">
        <Select
          label="Level"
          placeholder="every level"
          clearable
          clearButtonProps={{ 'aria-label': 'Show every level' }}
          data={LEVELS}
          value={level}
          onChange={(next) => setSearch(next === null ? {} : { level: next }, { replace: true })}
        />
        <Button variant="default" onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Go on' : 'Pause'}
        </Button>
      </Group>
      <Answer query={query} what="the log">
        {(records) => {
          const shown = records.filter((record) => level === null || (record.level ?? 'log') === level);
          return (
            <>
              <Text role="status">
                {formatNumber(shown.length)} of the last {formatNumber(records.length)} records, newest first
                {isPaused ? '; paused' : '; new ones appear by themselves'}.
              </Text>
              {shown.length === 0 ? (
                <Empty text="Nothing has been logged. The log is in memory: a restart of the server empties it." />
              ) : (
                <DataTable
                  caption="Records of the log"
                  columns={COLUMNS}
                  rows={shown.toReversed()}
                  keyOf={({ seq }) => `${seq}`}
                />
              )}
            </>
          );
        }}
      </Answer>
    </Stack>
  );
}
