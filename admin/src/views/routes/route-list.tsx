// All routes, each with its branches in words.
import { Anchor, Button, List } from '@mantine/core';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import type { NamedDefinition } from '../../parts/delivery/definition.ts';
import { useDefinitions } from '../../parts/delivery/definition-queries.ts';
import { Answer, Empty } from '../../parts/loading.tsx';
import { View } from '../../shell/view.tsx';
import { branchesOf, branchInWords } from './branch.ts';

const MAX_SHOWN = 5;

function Branches({ document }: NamedDefinition) {
  const branches = branchesOf(document);
  return (
    <List type="ordered" size="sm">
      {branches.slice(0, MAX_SHOWN).map((branch, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a branch is its place
        <List.Item key={index} className="wrap">
          {String(branch['recipe'] ?? 'no recipe')}: {branchInWords(branch)}
        </List.Item>
      ))}
      {branches.length > MAX_SHOWN && <List.Item>and {branches.length - MAX_SHOWN} more</List.Item>}
    </List>
  );
}

const COLUMNS: readonly Column<NamedDefinition>[] = [
  {
    label: 'Name',
    isName: true,
    cell: ({ name }) => (
      <Anchor component={Link} href={`/${encodeURIComponent(name)}`} className="wrap">
        {name}
      </Anchor>
    ),
  },
  { label: 'Branches: the first that fits gives the recipe', cell: (route) => <Branches {...route} /> },
];

export function RouteList() {
  const query = useDefinitions('route');
  const add = (
    <Button component={Link} href="/new">
      New
    </Button>
  );
  return (
    <View title="Routes" actions={add}>
      <Answer query={query} what="the routes">
        {(routes) =>
          routes.length === 0 ? (
            <Empty text="There are no routes. A route chooses a recipe for each visitor." />
          ) : (
            <DataTable caption="Routes" columns={COLUMNS} rows={routes} keyOf={({ name }) => name} />
          )
        }
      </Answer>
    </View>
  );
}
