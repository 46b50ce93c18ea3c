// All recipes, with their settings in a few words.
import { Anchor, Button } from '@mantine/core';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import type { NamedDefinition } from '../../parts/delivery/definition.ts';
import { useDefinitions } from '../../parts/delivery/definition-queries.ts';
import { Answer, Empty } from '../../parts/loading.tsx';
import { View } from '../../shell/view.tsx';
import { recipeInWords } from './settings.ts';

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
  { label: 'Settings', cell: ({ document }) => <span className="wrap">{recipeInWords(document)}</span> },
];

export function RecipeList() {
  const query = useDefinitions('recipe');
  const add = (
    <Button component={Link} href="/new">
      New
    </Button>
  );
  return (
    <View title="Recipes" actions={add}>
      <Answer query={query} what="the recipes">
        {(recipes) =>
          recipes.length === 0 ? (
            <Empty text="There are no recipes. A recipe says how files are delivered: format, size, quality." />
          ) : (
            <DataTable caption="Recipes" columns={COLUMNS} rows={recipes} keyOf={({ name }) => name} />
          )
        }
      </Answer>
    </View>
  );
}
