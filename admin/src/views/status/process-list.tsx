// The server processes that serve the same database, for admins.
import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { Status } from '../../api/types-status.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { formatNumber, Time } from '../../parts/time.tsx';

type Process = NonNullable<Status['processes']>[number];

const COLUMNS: readonly Column<Process>[] = [
  {
    label: 'Address',
    isName: true,
    cell: ({ address, isSelf }) => (
      <Group gap="xs">
        <span className="mono">{address}</span>
        {isSelf && <Badge variant="outline">This one</Badge>}
      </Group>
    ),
  },
  { label: 'Machine', cell: ({ host, pid }) => `${host}, process ${pid}` },
  { label: 'Version', cell: ({ version }) => version },
  { label: 'Since', cell: ({ since }) => <Time at={since} /> },
  { label: 'Seen', cell: ({ lastSeen }) => <Time at={lastSeen} /> },
  { label: 'In force', cell: ({ changes }) => `change ${formatNumber(changes)}` },
];

export function ProcessList({ processes }: { readonly processes: readonly Process[] }) {
  return (
    <Stack gap="xs">
      <Title order={2}>Servers of this database</Title>
      <Text size="sm" c="dimmed">
        Changes are numbered. A server with a smaller number than another has not heard of the newest ones
        yet.
      </Text>
      <DataTable
        caption="Servers of this database"
        columns={COLUMNS}
        rows={processes}
        keyOf={({ id }) => id}
      />
    </Stack>
  );
}
