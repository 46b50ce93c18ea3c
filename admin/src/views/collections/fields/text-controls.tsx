// Controls for texts, numbers, times and ids.
import { Button, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { Json } from '../../../api/types.ts';
import { type ControlProps, inputProps } from './control.ts';

/** Fields that may be longer get room for several lines. */
const MAX_SINGLE_LINE = 120;

interface ListSwitchProps {
  readonly props: ControlProps;
  readonly isList: boolean;
}

/** Text fields take a list as well as one text. */
function ListSwitch({ props: { field, value, isReadOnly, onChange }, isList }: ListSwitchProps) {
  if (isReadOnly) return null;
  const parts = Array.isArray(value) ? value : [];
  if (isList && parts.length > 1) return null;
  const one = parts[0];
  const next: Json | undefined = isList ? one : value === undefined || value === null ? [] : [value as Json];
  return (
    <Group>
      <Button
        variant="subtle"
        size="compact-xs"
        aria-description={field.label}
        onClick={() => onChange({ value: next })}
      >
        {isList ? 'Enter one value' : 'Enter several values'}
      </Button>
    </Group>
  );
}

function TextList(props: ControlProps) {
  const { value, onChange, isReadOnly } = props;
  return (
    <TagsInput
      {...inputProps(props)}
      value={Array.isArray(value) ? value.map(String) : []}
      splitChars={[]}
      allowDuplicates
      disabled={isReadOnly}
      placeholder="Enter ends a value"
      onChange={(next) => onChange({ value: next })}
    />
  );
}

export function TextControl(props: ControlProps) {
  const { field, value, onChange } = props;
  const isList = Array.isArray(value);
  const text = isList || value === undefined || value === null ? '' : String(value);
  const isLong = (field.maxLength ?? Number.POSITIVE_INFINITY) > MAX_SINGLE_LINE && field.type === 'String';
  const write = (event: { readonly currentTarget: { readonly value: string } }) => {
    const next = event.currentTarget.value;
    onChange({ value: next === '' ? undefined : next });
  };
  const one = isLong ? (
    <Textarea {...inputProps(props)} autosize minRows={1} maxRows={12} value={text} onChange={write} />
  ) : (
    <TextInput {...inputProps(props)} value={text} onChange={write} />
  );
  return (
    <Stack gap={2}>
      {isList ? <TextList {...props} /> : one}
      <ListSwitch props={props} isList={isList} />
    </Stack>
  );
}

export function NumberControl(props: ControlProps) {
  const { value, change, onChange } = props;
  const text = change?.text ?? (value === undefined || value === null ? '' : String(value));
  return (
    <TextInput
      {...inputProps(props)}
      inputMode="decimal"
      value={text}
      onChange={(event) => {
        const next = event.currentTarget.value;
        const number = Number(next);
        if (next.trim() === '') onChange({ value: undefined, text: next });
        else if (Number.isFinite(number)) onChange({ value: number, text: next });
        else onChange({ value, text: next, problem: 'This is no number. Write it as 1234.5' });
      }}
    />
  );
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const pad = (number: number, length = 2) => String(number).padStart(length, '0');

/** As an input for local times takes it; undefined for what is no time that it can show. */
function localTime(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return '';
  const date = new Date(typeof value === 'number' ? value : String(value));
  const year = date.getFullYear();
  if (Number.isNaN(year) || year < 1 || year > 9999) return undefined;
  const day = `${pad(year, 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const rest = [
    [date.getSeconds(), 2, ':'],
    [date.getMilliseconds(), 3, '.'],
  ] as const;
  const isExact = date.getSeconds() + date.getMilliseconds() > 0;
  const seconds = isExact ? rest.map(([part, length, mark]) => mark + pad(part, length)).join('') : '';
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}${seconds}`;
}

export function TimeControl(props: ControlProps) {
  const { value, change, onChange } = props;
  const local = change?.text ?? localTime(value);
  if (local === undefined) return <TextControl {...props} />;
  const { description, ...input } = inputProps(props);
  return (
    <TextInput
      {...input}
      description={[description, `In the time of ${ZONE}.`].filter(Boolean).join(' ')}
      type="datetime-local"
      step="0.001"
      value={local}
      onChange={(event) => {
        const text = event.currentTarget.value;
        const date = new Date(text);
        if (Number.isNaN(date.getTime())) onChange({ value: undefined, text });
        else onChange({ value: date.toISOString(), text });
      }}
    />
  );
}
