// What code may do with one collection.
import { Autocomplete, Button, Checkbox, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { useMe } from '../../../api/api-context.tsx';
import { numberProps, resultsBound } from './bounds.ts';
import { errorAt, type FieldsProps, toNumber, withMember } from './members.ts';
import { type CollectionGrant, DEFAULT_MAX_RESULTS, MODEL_ACTIONS } from './policy.ts';

interface CollectionGrantFieldsProps extends FieldsProps<CollectionGrant> {
  readonly number: number;
  /** Path of the grant in the policy, as errors name it. */
  readonly place: string;
  readonly grant: CollectionGrant;
  readonly onRemove: () => void;
}

export function CollectionGrantFields(props: CollectionGrantFieldsProps) {
  const { number, place, grant, bounds, errors, onChange, onRemove } = props;
  const me = useMe();
  return (
    <Stack gap="sm">
      <Autocomplete
        label="Collection"
        description="version/database/collection"
        required
        data={me.collections.map(({ path }) => path.slice(1))}
        limit={20}
        value={grant.name}
        error={errorAt(errors, `${place}.name`)}
        onChange={(name) => onChange({ ...grant, name })}
      />
      <Checkbox.Group
        label="Actions"
        value={[...grant.actions]}
        error={errorAt(errors, `${place}.actions`)}
        onChange={(values) =>
          onChange({ ...grant, actions: MODEL_ACTIONS.filter((action) => values.includes(action)) })
        }
      >
        <Group mt="xs">
          {MODEL_ACTIONS.map((action) => (
            <Checkbox key={action} value={action} label={action} />
          ))}
        </Group>
      </Checkbox.Group>
      <TextInput
        label="With the rights of"
        description="When empty: whoever calls. client:<id>: always that client, where the operator allows it"
        placeholder="caller"
        value={grant.as ?? ''}
        error={errorAt(errors, `${place}.as`)}
        onChange={(event) => onChange(withMember(grant, 'as', event.currentTarget.value || undefined))}
      />
      <NumberInput
        label="Documents of one call, at most"
        {...numberProps({
          value: grant.maxResults,
          usual: DEFAULT_MAX_RESULTS,
          bound: bounds === undefined ? undefined : resultsBound(bounds, grant),
          error: errorAt(errors, `${place}.maxResults`),
        })}
        onChange={(value) => onChange(withMember(grant, 'maxResults', toNumber(value)))}
      />
      <Button variant="default" w="fit-content" onClick={onRemove}>
        Remove collection {number}
      </Button>
    </Stack>
  );
}
