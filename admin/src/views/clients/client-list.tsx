// All clients: who they are, and what they may do.
import { Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Client } from '../../api/types.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Answer } from '../../parts/loading.tsx';
import { View } from '../../shell/view.tsx';
import { useClients } from './client-queries.ts';
import { rightsOf } from './rights.ts';

const COLUMNS: readonly Column<Client>[] = [
  {
    label: 'Client ID',
    isName: true,
    cell: ({ clientId }) => (
      <Anchor component={Link} href={`/${encodeURIComponent(clientId)}`}>
        {clientId}
      </Anchor>
    ),
  },
  {
    label: 'Access',
    cell: ({ accessType, reviewer }) => (
      <Group gap="xs">
        <Badge variant="outline">{accessType === 'admin' ? 'Admin' : 'User'}</Badge>
        {reviewer === true && <Badge variant="outline">Reviewer</Badge>}
      </Group>
    ),
  },
  { label: 'Roles', cell: ({ roles = [] }) => (roles.length === 0 ? 'none' : roles.join(', ')) },
  { label: 'Rights', cell: (client) => <Text size="sm">{rightsOf(client)}</Text> },
];

export function ClientList() {
  const query = useClients();
  const add = (
    <Button component={Link} href="/new">
      New
    </Button>
  );
  return (
    <View title="Clients" actions={add}>
      <Answer query={query} what="the clients">
        {({ results }) => (
          <DataTable caption="Clients" columns={COLUMNS} rows={results} keyOf={({ clientId }) => clientId} />
        )}
      </Answer>
    </View>
  );
}
