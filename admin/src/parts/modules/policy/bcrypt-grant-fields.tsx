// Whether code may hash passwords, and with how many rounds.
import { Checkbox, Fieldset, NumberInput, Stack, Text } from '@mantine/core';
import { numberProps } from './bounds.ts';
import { errorAt, type FieldsProps, toNumber, withMember } from './members.ts';
import { type BcryptGrant, DEFAULT_BCRYPT_ROUNDS, MIN_BCRYPT_ROUNDS } from './policy.ts';

interface BcryptGrantFieldsProps extends FieldsProps<BcryptGrant | undefined> {
  /** Undefined: not granted. */
  readonly grant: BcryptGrant | undefined;
}

export function BcryptGrantFields({ grant, bounds, errors, onChange }: BcryptGrantFieldsProps) {
  const bound = bounds?.grants.bcrypt.maxRounds;
  const isRefused = bound === 0;
  return (
    <Fieldset legend="Passwords">
      <Stack gap="sm">
        <Checkbox
          label="Hash passwords by require('bcrypt')"
          checked={grant !== undefined}
          // What the operator does not grant can still be taken away.
          disabled={isRefused && grant === undefined}
          error={errors.get('grants.bcrypt')}
          onChange={(event) => onChange(event.currentTarget.checked ? {} : undefined)}
        />
        {isRefused && <Text size="sm">The operator of this server lets no code hash passwords.</Text>}
        {grant !== undefined && !isRefused && (
          <NumberInput
            label="Rounds of a hash"
            {...numberProps({
              value: grant.maxRounds,
              usual: DEFAULT_BCRYPT_ROUNDS,
              bound,
              error: errorAt(errors, 'grants.bcrypt.maxRounds'),
            })}
            min={MIN_BCRYPT_ROUNDS}
            onChange={(value) => onChange(withMember(grant, 'maxRounds', toNumber(value)))}
          />
        )}
      </Stack>
    </Fieldset>
  );
}
