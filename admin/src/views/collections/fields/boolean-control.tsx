// A control for yes and no, which knows a third state: the document says neither.
import { Button, Checkbox, Group } from '@mantine/core';
import { type ControlProps, inputProps } from './control.ts';

export function BooleanControl(props: ControlProps) {
  const { field, value, onChange, isReadOnly } = props;
  const { withAsterisk: _, readOnly: __, description, ...input } = inputProps(props);
  const isSet = typeof value === 'boolean';
  return (
    <Group gap="sm" align="flex-start">
      <Checkbox
        {...input}
        description={[description, isSet ? '' : 'Not said yet.'].filter(Boolean).join(' ')}
        checked={value === true}
        indeterminate={!isSet}
        disabled={isReadOnly}
        onChange={(event) => onChange({ value: event.currentTarget.checked })}
      />
      {!isReadOnly && !isSet && (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-description={field.label}
          onClick={() => onChange({ value: false })}
        >
          No
        </Button>
      )}
      {!isReadOnly && isSet && !field.isRequired && (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-description={field.label}
          onClick={() => onChange({ value: undefined })}
        >
          Say neither
        </Button>
      )}
    </Group>
  );
}
