// The fields of a client that say what it may do, with what they come to in words.
import { Alert, Fieldset, Radio, Stack, TagsInput } from '@mantine/core';
import type { AccessType, Permissions } from '../../api/types.ts';
import { PermissionFields } from './permission-fields.tsx';
import { rightsOf } from './rights.ts';

export interface ClientDraft {
  readonly accessType: AccessType;
  readonly roles: readonly string[];
  readonly permissions: Permissions | null;
}

interface ClientFieldsProps {
  readonly draft: ClientDraft;
  readonly isReviewer?: boolean;
  readonly errors: ReadonlyMap<string, string>;
  readonly onChange: (change: Partial<ClientDraft>) => void;
}

export function ClientFields({ draft, isReviewer = false, errors, onChange }: ClientFieldsProps) {
  const { accessType, roles } = draft;
  return (
    <Stack>
      <Radio.Group
        label="Access"
        value={accessType}
        error={errors.get('accessType')}
        onChange={(value) => onChange({ accessType: value === 'admin' ? 'admin' : 'user' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="user" label="User" description="What roles, rules and permissions allow" />
          <Radio value="admin" label="Admin" description="Everything, whatever roles and permissions say" />
        </Stack>
      </Radio.Group>
      <TagsInput
        label="Roles"
        description="Names to which the access rules of collections are addressed. Enter ends a name."
        value={[...roles]}
        error={errors.get('roles')}
        onChange={(next) => onChange({ roles: next })}
        clearable={false}
      />
      {accessType === 'user' && (
        <Fieldset legend="Permissions">
          <PermissionFields
            permissions={draft.permissions}
            errors={errors}
            onChange={(permissions) => onChange({ permissions })}
          />
        </Fieldset>
      )}
      <Alert title="In words" variant="outline" role="status" className="wrap">
        {rightsOf({ clientId: '', ...draft, ...(isReviewer && { reviewer: true as const }) })}
      </Alert>
    </Stack>
  );
}
