// The fields of a document in a form, in the groups that their `placement` names.
import { Fieldset, Grid, Stack } from '@mantine/core';
import type { JsonObject } from '../../../api/types.ts';
import { BooleanControl } from './boolean-control.tsx';
import { type Change, type Changes, problemsIn, shownValue } from './changes.ts';
import type { ControlProps } from './control.ts';
import type { Field } from './field.ts';
import { JsonControl } from './json-control.tsx';
import { ReferenceControl } from './reference-control.tsx';
import { NumberControl, TextControl, TimeControl } from './text-controls.tsx';

/** A text field may hold what is no text, when others write the database; as JSON it is shown as it is. */
const isText = ({ value }: ControlProps) =>
  value === undefined ||
  value === null ||
  typeof value !== 'object' ||
  (Array.isArray(value) && value.every((part) => typeof part === 'string'));

function Control(props: ControlProps) {
  switch (props.field.type) {
    case 'Boolean':
      return <BooleanControl {...props} />;
    case 'Number':
      return <NumberControl {...props} />;
    case 'DateTime':
      return <TimeControl {...props} />;
    case 'Reference':
      return <ReferenceControl {...props} />;
    case 'Object':
    case 'Mixed':
      return <JsonControl {...props} />;
    default:
      return isText(props) ? <TextControl {...props} /> : <JsonControl {...props} />;
  }
}

interface DocumentFieldsProps {
  readonly fields: readonly Field[];
  readonly stored: JsonObject;
  readonly changes: Changes;
  readonly errors: ReadonlyMap<string, string>;
  readonly isReadOnly: boolean;
  readonly onChange: (name: string, change: Change) => void;
}

const isAside = (placement: string) => /^(?:sidebar|aside|side)$/i.test(placement);
const isMain = (placement: string) => placement === '' || /^main(?: content)?$/i.test(placement);

export function DocumentFields({ fields, ...form }: DocumentFieldsProps) {
  const { stored, changes, errors, isReadOnly, onChange } = form;
  const problems = problemsIn(changes);
  const controls = (placements: readonly string[]) =>
    fields
      .filter(({ placement, isInForms }) => isInForms && placements.includes(placement))
      .map((field) => (
        <Control
          key={field.name}
          field={field}
          value={shownValue(field.name, changes, stored)}
          change={Object.hasOwn(changes, field.name) ? changes[field.name] : undefined}
          error={problems.get(field.name) ?? errors.get(field.name)}
          isReadOnly={isReadOnly || field.isClosed}
          onChange={(change) => onChange(field.name, change)}
        />
      ));
  const placements = [...new Set(fields.map(({ placement }) => placement))];
  const groups = placements.filter((placement) => !isMain(placement) && !isAside(placement));
  const aside = controls(placements.filter(isAside));
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: aside.length > 0 ? 8 : 12 }}>
        <Stack>
          {controls(placements.filter(isMain))}
          {groups.map((placement) => (
            <Fieldset key={placement} legend={placement}>
              <Stack>{controls([placement])}</Stack>
            </Fieldset>
          ))}
        </Stack>
      </Grid.Col>
      {aside.length > 0 && (
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack>{aside}</Stack>
        </Grid.Col>
      )}
    </Grid>
  );
}
