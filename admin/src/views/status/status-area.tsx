// The view of the area "Status": how the server is.
import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Route, Switch } from 'wouter';
import { isAdmin, useApi, useMe } from '../../api/api-context.tsx';
import type { Status } from '../../api/types-status.ts';
import { useDialogs } from '../../parts/dialogs.tsx';
import { Answer } from '../../parts/loading.tsx';
import { useToasts } from '../../parts/toasts.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { View } from '../../shell/view.tsx';
import { SandboxStatus } from './sandbox-status.tsx';
import { ServerStatus } from './server-status.tsx';

/** Milliseconds between two looks. */
const INTERVAL_MS = 10_000;

export function StatusArea() {
  return (
    <Switch>
      <Route path="/" component={StatusView} />
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

function StatusView() {
  const api = useApi();
  const me = useMe();
  const query = useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => api.get<Status>('/api/status', { signal }),
    refetchInterval: INTERVAL_MS,
  });
  const health = useQuery({
    queryKey: ['health'],
    // Whatever is wrong is an answer here, not a failure of the view.
    queryFn: async ({ signal }) => (await api.raw('/health', { signal })).ok,
    refetchInterval: INTERVAL_MS,
  });
  return (
    <View title="Status" actions={isAdmin(me) && <FlushButton />}>
      <Answer query={query} what="the status">
        {(status) => (
          <Stack gap="lg">
            <ServerStatus status={status} isDatabaseThere={health.data} />
            {status.sandbox !== undefined && <SandboxStatus sandbox={status.sandbox} />}
          </Stack>
        )}
      </Answer>
    </View>
  );
}

function FlushButton() {
  const api = useApi();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const flush = async () => {
    const isSure = await dialogs.confirm({
      title: 'Flush the cache?',
      gone: ['every answer that the server has kept: the next request for each is asked of the database'],
      note: 'No document changes.',
      action: 'Flush',
    });
    if (!isSure) return;
    try {
      await api.send('POST', '/api/flush', { path: '*' });
      toasts.say('The cache is empty.');
    } catch (error) {
      toasts.fail(error);
    }
  };
  return (
    <Group>
      <Button variant="default" onClick={() => void flush()}>
        Flush
      </Button>
    </Group>
  );
}
