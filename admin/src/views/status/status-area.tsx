// The view of the area "Status": how the server is.
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Route, Switch } from 'wouter';
import { isAdmin, useApi, useMe } from '../../api/api-context.tsx';
import type { Status } from '../../api/types-status.ts';
import { Answer } from '../../parts/loading.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { View } from '../../shell/view.tsx';
import { FlushButtons } from './flush-buttons.tsx';
import { ProcessList } from './process-list.tsx';
import { ReportStatus, reportOf } from './report-status.tsx';
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
    <View title="Status" actions={isAdmin(me) && <FlushButtons />}>
      <Answer query={query} what="the status">
        {(status) => (
          <Stack gap="lg">
            <ServerStatus status={status} isDatabaseThere={health.data} />
            {status.processes !== undefined && <ProcessList processes={status.processes} />}
            <Report status={status} />
            {status.sandbox !== undefined && <SandboxStatus sandbox={status.sandbox} />}
          </Stack>
        )}
      </Answer>
    </View>
  );
}

function Report({ status }: { readonly status: Status }) {
  const report = reportOf(status);
  return report && <ReportStatus report={report} />;
}
