// One branch of a route: whom it takes, and the recipe that these get.
import {
  Autocomplete,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import type { Json, JsonObject } from '../../api/types.ts';
import { withMember } from '../../parts/delivery/definition.ts';
import { useDefinitions } from '../../parts/delivery/definition-queries.ts';
import { branchInWords, conditionOf, DEVICES, valuesOf } from './branch.ts';

interface BranchFieldsProps {
  readonly branch: JsonObject;
  readonly index: number;
  readonly count: number;
  /** What the server says about it. */
  readonly message: string | undefined;
  readonly onChange: (branch: JsonObject) => void;
  readonly onMove: (to: number, button: 'up' | 'down') => void;
  readonly onRemove: () => void;
}

export function BranchFields({
  branch,
  index,
  count,
  message,
  onChange,
  onMove,
  onRemove,
}: BranchFieldsProps) {
  const recipes = useDefinitions('recipe');
  const condition = conditionOf(branch);
  const set = (name: string, value: Json | undefined) => {
    const next = withMember(condition, name, value);
    onChange(withMember(branch, 'condition', Object.keys(next).length === 0 ? undefined : next));
  };
  const setValues = (name: string) => (values: readonly string[]) =>
    set(name, values.length === 0 ? undefined : values);
  const devices = valuesOf(condition['device']);
  const country = Object.hasOwn(condition, 'location') ? 'location' : 'country';
  const known = recipes.data?.map(({ name }) => name) ?? [];
  const recipe = String(branch['recipe'] ?? '');
  const isUnknown = recipe !== '' && recipes.data !== undefined && !known.includes(recipe);
  const title = `Branch ${index + 1}`;
  const button = (text: string, isOff: boolean, onClick: () => void, name?: string) => (
    <Button
      size="compact-sm"
      variant="default"
      disabled={isOff}
      data-focus={name}
      aria-label={`${text}: branch ${index + 1}`}
      onClick={onClick}
    >
      {text}
    </Button>
  );
  return (
    <Fieldset legend={title}>
      <Stack gap="sm">
        {message !== undefined && (
          <Text role="alert" c="red" className="wrap">
            {message}
          </Text>
        )}
        <Text size="sm" className="wrap">
          Takes {branchInWords(branch) === 'everybody' ? 'everybody' : `visitors ${branchInWords(branch)}`}.
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Autocomplete
            label="Recipe"
            data-focus="recipe"
            description={
              isUnknown ? 'There is no recipe of this name: the answer is 404.' : 'What these visitors get.'
            }
            value={recipe}
            data={known}
            limit={50}
            maxLength={100}
            onChange={(value) => onChange(withMember(branch, 'recipe', value))}
          />
          <MultiSelect
            label="Device"
            description="One of these; none: any device."
            value={[...devices]}
            data={[...new Set([...DEVICES, ...devices])]}
            onChange={setValues('device')}
            searchable
            clearButtonProps={{ 'aria-label': 'Any device' }}
          />
          <ListInput
            label="Language"
            description="Codes with commas between them: fr, en-GB"
            values={valuesOf(condition['language'])}
            onChange={setValues('language')}
          />
          <NumberInput
            label="Least quality of the language"
            description="From 0 to 1; 1 where nothing is given."
            min={0}
            max={1}
            step={0.1}
            clampBehavior="none"
            value={typeof condition['languageMinQuality'] === 'number' ? condition['languageMinQuality'] : ''}
            onChange={(value) => set('languageMinQuality', typeof value === 'number' ? value : undefined)}
          />
          <ListInput
            label="Country"
            description="Codes of two letters: FR, BE"
            values={valuesOf(condition[country])}
            onChange={setValues(country)}
          />
          <ListInput
            label="Network"
            description="Types of connection: cable, cellular"
            values={valuesOf(condition['network'])}
            onChange={setValues('network')}
          />
        </SimpleGrid>
        <Group gap="xs">
          {button('Move up', index === 0, () => onMove(index - 1, 'up'), 'up')}
          {button('Move down', index === count - 1, () => onMove(index + 1, 'down'), 'down')}
          {button('Remove', false, onRemove)}
        </Group>
      </Stack>
    </Fieldset>
  );
}

interface ListInputProps {
  readonly label: string;
  readonly description: string;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

/** Several values in one line; what is written stays as it is while it is written. */
function ListInput({ label, description, values, onChange }: ListInputProps) {
  const [text, setText] = useState(values.join(', '));
  return (
    <TextInput
      label={label}
      description={description}
      autoComplete="off"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(
          event.currentTarget.value
            .split(',')
            .map((part) => part.trim())
            .filter((part) => part !== ''),
        );
      }}
    />
  );
}
