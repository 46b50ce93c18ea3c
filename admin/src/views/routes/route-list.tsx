// All routes, each with its branches in words.
import { List } from '@mantine/core';
import type { NamedDefinition } from '../../parts/delivery/definition.ts';
import { DefinitionList } from '../../parts/delivery/definition-list.tsx';
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

export const RouteList = () => (
  <DefinitionList
    noun="route"
    title="Routes"
    empty="There are no routes. A route chooses a recipe for each visitor."
    label="Branches: the first that fits gives the recipe"
    inWords={(route) => <Branches {...route} />}
  />
);
