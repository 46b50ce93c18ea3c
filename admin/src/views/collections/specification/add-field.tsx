// Adds a field to the specification that is being written, for whoever does not know its form yet.
import { Button, Checkbox, Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useMe } from '../../../api/api-context.tsx';
import type { Json, JsonObject } from '../../../api/types.ts';
import { parsePath } from '../address.ts';
import { FIELD_TYPES, type FieldType } from '../fields/field.ts';
import { fieldNameIssue, isJsonObject } from './check-text.ts';
import { formatSpecification } from './format-specification.ts';

const TYPES_IN_WORDS: Readonly<Record<FieldType, string>> = {
  String: 'text',
  Number: 'a number',
  Boolean: 'true or false',
  DateTime: 'a date with its time',
  Object: 'a JSON object',
  Mixed: 'any JSON',
  ObjectID: 'an id, which leads nowhere',
  Reference: 'another document, or a file',
};
const TYPES = FIELD_TYPES.map((type) => ({ value: type, label: `${type}: ${TYPES_IN_WORDS[type]}` }));

interface Draft {
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  /** Of a Reference: path of the collection to which it leads. */
  readonly target: string;
}
const EMPTY: Draft = { name: '', label: '', type: 'String', isRequired: false, target: '' };

function fieldOf({ type, label, isRequired, target }: Draft, database: string): JsonObject {
  const leadsTo = parsePath(target);
  const isElsewhere = leadsTo.database !== database;
  return {
    type,
    ...(isRequired && { required: true }),
    ...(label.trim() !== '' && { label: label.trim() }),
    ...(type === 'Reference' && {
      settings: { collection: leadsTo.name, ...(isElsewhere && { database: leadsTo.database }) },
    }),
  };
}

interface AddFieldProps {
  /** Of the collection: references lead to collections of the same version. */
  readonly version: string;
  readonly database: string;
  /** The specification so far; undefined while its text is no JSON object. */
  readonly specification: Json | undefined;
  /** Gets the text of the specification with the field. */
  readonly onAdd: (text: string) => void;
}

/** The references that the caller may make: paths of collections of this version, those of the same database first. */
function useTargets(version: string, database: string): readonly string[] {
  const { collections } = useMe();
  const paths = collections.map(({ path }) => path).filter((path) => parsePath(path).version === version);
  const isNear = (path: string) => parsePath(path).database === database;
  return [...paths.filter(isNear), ...paths.filter((path) => !isNear(path))];
}

export function AddField({ version, database, specification, onAdd }: AddFieldProps) {
  const [draft, setDraft] = useState<Draft>();
  const isObject = isJsonObject(specification);
  if (draft === undefined) {
    return (
      <Group>
        <Button variant="default" disabled={!isObject} onClick={() => setDraft(EMPTY)}>
          Add a field
        </Button>
      </Group>
    );
  }
  const given = isObject ? specification['fields'] : undefined;
  const fields = isJsonObject(given) ? given : {};
  return (
    <NewField
      draft={draft}
      taken={Object.keys(fields)}
      address={{ version, database }}
      isReady={isObject}
      onChange={(change) => setDraft({ ...draft, ...change })}
      onCancel={() => setDraft(undefined)}
      onAdd={() => {
        const extended = { ...fields, [draft.name.trim()]: fieldOf(draft, database) };
        if (isObject) onAdd(formatSpecification({ ...specification, fields: extended }));
        setDraft(undefined);
      }}
    />
  );
}

interface NewFieldProps {
  readonly draft: Draft;
  readonly taken: readonly string[];
  readonly address: Pick<AddFieldProps, 'version' | 'database'>;
  /** False while the text is no JSON, so that nothing can be put into it. */
  readonly isReady: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onCancel: () => void;
  readonly onAdd: () => void;
}

function NewField({ draft, taken, address, isReady, onChange, onCancel, onAdd }: NewFieldProps) {
  const [isChecked, setChecked] = useState(false);
  const targets = useTargets(address.version, address.database);
  const name = draft.name.trim();
  const issue = taken.includes(name) ? `There is a field ${name} already` : fieldNameIssue(name);
  const noTarget = draft.type === 'Reference' && draft.target === '' ? 'Choose a collection' : undefined;
  const add = () => {
    setChecked(true);
    if (isReady && issue === undefined && noTarget === undefined) onAdd();
  };
  // The form around it would be sent.
  const addByEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <Fieldset legend="New field">
      <Stack>
        <Group
          align="flex-start"
          onKeyDown={(event) => event.target instanceof HTMLInputElement && addByEnter(event)}
        >
          <TextInput
            label="Name of the field"
            data-autofocus
            autoFocus
            autoComplete="off"
            value={draft.name}
            error={isChecked ? issue : undefined}
            onChange={(event) => onChange({ name: event.currentTarget.value })}
          />
          <TextInput
            label="Label"
            value={draft.label}
            onChange={(event) => onChange({ label: event.currentTarget.value })}
          />
          <NativeSelect
            label="Type"
            data={TYPES}
            value={draft.type}
            onChange={(event) => onChange({ type: event.currentTarget.value as FieldType })}
          />
          {draft.type === 'Reference' && (
            <NativeSelect
              label="Leads to"
              data={[
                { value: '', label: targets.length === 0 ? 'There are no collections' : '' },
                ...targets,
              ]}
              value={draft.target}
              error={isChecked ? noTarget : undefined}
              onChange={(event) => onChange({ target: event.currentTarget.value })}
            />
          )}
        </Group>
        <Checkbox
          label="Required"
          checked={draft.isRequired}
          onChange={(event) => onChange({ isRequired: event.currentTarget.checked })}
        />
        <Group>
          <Button variant="light" onClick={add} disabled={!isReady}>
            Add
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}
