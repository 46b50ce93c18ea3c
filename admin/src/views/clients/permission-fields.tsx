// The permissions of a client: everything, reading alone, or a list of collections and endpoints. They narrow what rules allow.
import {
  Autocomplete,
  Button,
  Checkbox,
  Fieldset,
  Group,
  Radio,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useMe } from '../../api/api-context.tsx';
import {
  ACTIONS,
  type Action,
  type CollectionPermission,
  type EndpointPermission,
  type Permissions,
} from '../../api/types.ts';

interface PermissionFieldsProps {
  readonly permissions: Permissions | null;
  readonly errors: ReadonlyMap<string, string>;
  readonly onChange: (permissions: Permissions | null) => void;
}

type Mode = 'all' | 'read' | 'list';

const ACTION_LABELS: Readonly<Record<Action, string>> = {
  read: 'Read',
  create: 'Create',
  update: 'Update',
  delete: 'Delete',
  history: 'History',
};

function modeOf(permissions: Permissions | null): Mode {
  if (permissions === null) return 'all';
  const { actions, collections, endpoints } = permissions;
  const isReading = actions?.join() === 'read' && collections === undefined && endpoints === undefined;
  return isReading ? 'read' : 'list';
}

const STARTS: Readonly<Record<Mode, Permissions | null>> = {
  all: null,
  read: { actions: ['read'] },
  list: { collections: [], endpoints: [] },
};

export function PermissionFields({ permissions, errors, onChange }: PermissionFieldsProps) {
  const mode = modeOf(permissions);
  return (
    <Stack>
      <Radio.Group
        label="At most"
        value={mode}
        error={mode === 'list' ? undefined : errors.get('permissions')}
        onChange={(value) => onChange(STARTS[value as Mode])}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label="Everything that the rules of collections allow" />
          <Radio value="read" label="Reading every collection, and nothing else" />
          <Radio value="list" label="Chosen collections and endpoints" />
        </Stack>
      </Radio.Group>
      {permissions !== null && mode === 'list' && (
        <Grants permissions={permissions} errors={errors} onChange={onChange} />
      )}
    </Stack>
  );
}

const replaceAt = <T,>(list: readonly T[], index: number, value: T): readonly T[] => list.with(index, value);
const withoutAt = <T,>(list: readonly T[], index: number): readonly T[] => list.toSpliced(index, 1);

/** An object with a member set, or without it where the text is empty. */
function withText<T extends object>(object: T, name: keyof T & string, text: string): T {
  const { [name]: _, ...rest } = object;
  return (text === '' ? rest : { ...rest, [name]: text }) as T;
}

function Grants({
  permissions,
  errors,
  onChange,
}: PermissionFieldsProps & { readonly permissions: Permissions }) {
  const { collections = [], endpoints = [], actions } = permissions;
  return (
    <Stack>
      {actions !== undefined && (
        <Text>
          Of every collection at most: {actions.join(', ')}.{' '}
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => {
              const { actions: _, ...rest } = permissions;
              onChange({ collections, ...rest });
            }}
          >
            Lift this bound
          </Button>
        </Text>
      )}
      {collections.map((grant, index) => (
        <CollectionGrant
          // biome-ignore lint/suspicious/noArrayIndexKey: a grant has no other identity
          key={index}
          place={`permissions.collections.${index}`}
          number={index + 1}
          grant={grant}
          errors={errors}
          onChange={(next) => onChange({ ...permissions, collections: replaceAt(collections, index, next) })}
          onRemove={() => onChange({ ...permissions, collections: withoutAt(collections, index) })}
        />
      ))}
      {endpoints.map((grant, index) => (
        <EndpointGrant
          // biome-ignore lint/suspicious/noArrayIndexKey: a grant has no other identity
          key={index}
          place={`permissions.endpoints.${index}`}
          number={index + 1}
          grant={grant}
          errors={errors}
          onChange={(next) => onChange({ ...permissions, endpoints: replaceAt(endpoints, index, next) })}
          onRemove={() => onChange({ ...permissions, endpoints: withoutAt(endpoints, index) })}
        />
      ))}
      <Group>
        <Button
          variant="default"
          onClick={() =>
            onChange({ ...permissions, collections: [...collections, { path: '', actions: ['read'] }] })
          }
        >
          Add a collection
        </Button>
        <Button
          variant="default"
          onClick={() => onChange({ ...permissions, endpoints: [...endpoints, { path: '' }] })}
        >
          Add an endpoint
        </Button>
      </Group>
    </Stack>
  );
}

interface GrantProps<T> {
  /** Path of the grant in the body, as errors name it. */
  readonly place: string;
  readonly number: number;
  readonly grant: T;
  readonly errors: ReadonlyMap<string, string>;
  readonly onChange: (grant: T) => void;
  readonly onRemove: () => void;
}

type FieldProps<T> = Pick<GrantProps<T>, 'place' | 'grant' | 'errors' | 'onChange'>;

function NameField<T extends EndpointPermission>({
  label,
  known = [],
  place,
  grant,
  errors,
  onChange,
}: FieldProps<T> & { readonly label: string; readonly known?: readonly string[] }) {
  return (
    <Autocomplete
      label={label}
      required
      data={[...known]}
      limit={20}
      value={grant.path}
      error={errors.get(`${place}.path`)}
      onChange={(path) => onChange({ ...grant, path })}
    />
  );
}

function VersionField<T extends EndpointPermission>({ place, grant, errors, onChange }: FieldProps<T>) {
  return (
    <TextInput
      label="Version"
      placeholder="every version"
      value={grant.apiVersion ?? ''}
      error={errors.get(`${place}.apiVersion`)}
      onChange={(event) => onChange(withText(grant, 'apiVersion', event.currentTarget.value))}
    />
  );
}

function CollectionGrant(props: GrantProps<CollectionPermission>) {
  const { place, number, grant, errors, onChange, onRemove } = props;
  const names = useMe().collections.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  return (
    <Fieldset legend={`Collection ${number}`}>
      <Stack gap="sm">
        <Group align="flex-start">
          <NameField label="Name of the collection" known={[...new Set(names)]} {...props} />
          <TextInput
            label="Database"
            placeholder="every database"
            value={grant.database ?? ''}
            error={errors.get(`${place}.database`)}
            onChange={(event) => onChange(withText(grant, 'database', event.currentTarget.value))}
          />
          <VersionField {...props} />
        </Group>
        <Checkbox.Group
          label="Actions"
          value={[...(grant.actions ?? ACTIONS)]}
          onChange={(values) =>
            onChange({ ...grant, actions: ACTIONS.filter((action) => values.includes(action)) })
          }
        >
          <Group mt="xs">
            {ACTIONS.map((action) => (
              <Checkbox key={action} value={action} label={ACTION_LABELS[action]} />
            ))}
          </Group>
        </Checkbox.Group>
        <Button variant="default" w="fit-content" onClick={onRemove}>
          Remove collection {number}
        </Button>
      </Stack>
    </Fieldset>
  );
}

function EndpointGrant(props: GrantProps<EndpointPermission>) {
  const { number, onRemove } = props;
  return (
    <Fieldset legend={`Endpoint ${number}`}>
      <Stack gap="sm">
        <Group align="flex-start">
          <NameField label="Name of the endpoint" {...props} />
          <VersionField {...props} />
        </Group>
        <Button variant="default" w="fit-content" onClick={onRemove}>
          Remove endpoint {number}
        </Button>
      </Stack>
    </Fieldset>
  );
}
