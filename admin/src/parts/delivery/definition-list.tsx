// All routes, or all recipes: their names, and what each does in a few words.
import { Anchor, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { View } from '../../shell/view.tsx';
import { type Column, DataTable } from '../data-table.tsx';
import { Answer, Empty } from '../loading.tsx';
import type { DefinitionNoun, NamedDefinition } from './definition.ts';
import { useDefinitions } from './definition-queries.ts';

const NAME: Column<NamedDefinition> = {
  label: 'Name',
  isName: true,
  cell: ({ name }) => (
    <Anchor component={Link} href={`/${encodeURIComponent(name)}`} className="wrap">
      {name}
    </Anchor>
  ),
};

interface DefinitionListProps {
  readonly noun: DefinitionNoun;
  /** `Routes` */
  readonly title: string;
  /** Said where there are none. */
  readonly empty: string;
  /** Label of the column beside the names. */
  readonly label: string;
  readonly inWords: (definition: NamedDefinition) => ReactNode;
}

export function DefinitionList({ noun, title, empty, label, inWords }: DefinitionListProps) {
  const query = useDefinitions(noun);
  const add = (
    <Button component={Link} href="/new">
      New
    </Button>
  );
  return (
    <View title={title} actions={add}>
      <Answer query={query} what={`the ${noun}s`}>
        {(definitions) =>
          definitions.length === 0 ? (
            <Empty text={empty} />
          ) : (
            <DataTable
              caption={title}
              columns={[NAME, { label, cell: inWords }]}
              rows={definitions}
              keyOf={({ name }) => name}
            />
          )
        }
      </Answer>
    </View>
  );
}
