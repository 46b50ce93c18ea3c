// The branches of a route in their order, which buttons change.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { JsonObject } from '../../api/types.ts';
import { withMember } from '../../parts/delivery/definition.ts';
import type { DefinitionFormProps } from '../../parts/delivery/definition-editor.tsx';
import { branchesOf, conditionOf } from './branch.ts';
import { BranchFields } from './branch-fields.tsx';

const MAX_BRANCHES = 1000;

/** A branch that takes everybody hides those behind it. */
function firstForAll(branches: readonly JsonObject[]): number | undefined {
  const at = branches.findIndex((branch) => Object.keys(conditionOf(branch)).length === 0);
  return at === -1 || at === branches.length - 1 ? undefined : at;
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index);

export function RouteForm({ document, onChange, messages }: DefinitionFormProps) {
  const branches = branchesOf(document);
  // Branches have no names: each has a number of its own as long as the form is there.
  const [keys, setKeys] = useState<readonly number[]>(() => numbersTo(branches.length));
  const [said, setSaid] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const [focus, setFocus] = useState<{ readonly key: number; readonly button: string }>();
  useEffect(() => {
    if (focus === undefined) return;
    const item = list.current?.querySelector(`[data-branch="${focus.key}"]`);
    const wanted = [focus.button, 'up', 'down', 'recipe'].map((name) =>
      item?.querySelector<HTMLElement>(`[data-focus="${name}"]:not(:disabled)`),
    );
    wanted.find((element) => element !== null && element !== undefined)?.focus();
  }, [focus]);
  const put = (next: readonly JsonObject[]) => onChange(withMember(document, 'branches', next));
  const add = () => {
    const key = Math.max(-1, ...keys) + 1;
    setKeys([...keys, key]);
    put([...branches, { recipe: '' }]);
    setFocus({ key, button: 'recipe' });
  };
  const move = (from: number, to: number, button: string) => {
    const moved = <T,>(items: readonly T[]) =>
      items.toSpliced(from, 1).toSpliced(to, 0, ...items.slice(from, from + 1));
    setKeys(moved(keys));
    put(moved(branches));
    setSaid(`This is branch ${to + 1} of ${branches.length} now.`);
    setFocus({ key: keys[from] ?? 0, button });
  };
  const remove = (at: number) => {
    setKeys(keys.toSpliced(at, 1));
    put(branches.toSpliced(at, 1));
    setSaid(`The branch was removed. ${branches.length - 1} left.`);
    const next = keys[at + 1] ?? keys[at - 1];
    if (next !== undefined) setFocus({ key: next, button: 'recipe' });
  };
  const hiding = firstForAll(branches);
  return (
    <Stack>
      <Text>
        The first branch whose conditions all hold gives the recipe. Where none does, the answer is 404.
      </Text>
      <Text role="status" size="sm">
        {said}
      </Text>
      <ol ref={list} aria-label="Branches" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {branches.map((branch, index) => (
          <li key={keys[index]} data-branch={keys[index]} style={{ marginBlockEnd: '1rem' }}>
            <BranchFields
              branch={branch}
              index={index}
              count={branches.length}
              message={messages.get(`branch ${index}`)}
              onChange={(next) => put(branches.with(index, next))}
              onMove={(to, button) => move(index, to, button)}
              onRemove={() => remove(index)}
            />
          </li>
        ))}
      </ol>
      {hiding !== undefined && (
        <Alert variant="outline" title="Branches that nobody reaches">
          Branch {hiding + 1} takes everybody, so that those behind it are never reached.
        </Alert>
      )}
      <Group>
        <Button variant="default" onClick={add} disabled={branches.length >= MAX_BRANCHES}>
          Add a branch
        </Button>
      </Group>
    </Stack>
  );
}
