// A control for references: documents are found by words, or made in a dialog.
import { Anchor, Button, Group, MultiSelect, type OptionsFilter, Select, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Json } from '../../../api/types.ts';
import { Thumbnail } from '../../../parts/files/picture.tsx';
import { createSlots } from '../../../parts/files/slots.ts';
import { type CollectionAddress, documentHref } from '../address.ts';
import { type ControlProps, inputProps } from './control.ts';
import { JsonControl } from './json-control.tsx';
import { useNewDocumentDialog } from './new-document-context.ts';
import { useReferenceOptions } from './reference-queries.ts';
import { TextControl } from './text-controls.tsx';

/** Milliseconds after the last key until the server is asked. */
const SEARCH_DELAY_MS = 250;

/** Pictures that are loaded at a time. */
const MAX_LOADING = 4;

const SERVER_FOUND: OptionsFilter = ({ options }) => options;

const idsOf = (value: Json | undefined): readonly Json[] => {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value as Json];
};

export function ReferenceControl(props: ControlProps) {
  const ids = idsOf(props.value);
  const { target } = props.field;
  // Lists may hold null, and bodies whole documents.
  if (target === undefined || !ids.every((id) => typeof id === 'string')) return <JsonControl {...props} />;
  return <Picker {...props} target={target} ids={ids} />;
}

interface PickerProps extends ControlProps {
  readonly target: CollectionAddress;
  readonly ids: readonly string[];
}

function Picker(props: PickerProps) {
  const { field, value, target, ids, isReadOnly, onChange } = props;
  const [isOpen, setOpen] = useState(false);
  /** Choices that nobody sees load no pictures. */
  const [isListed, setListed] = useState(false);
  const [search, setSearch] = useState('');
  const [words] = useDebouncedValue(search, SEARCH_DELAY_MS);
  const [isMaking, setMaking] = useState(false);
  const Dialog = useNewDocumentDialog();
  const isMultiple = Array.isArray(value) || (field.isMultiple && ids.length === 0);
  const found = useReferenceOptions(target, words, ids, isOpen);
  const [slots] = useState(() => createSlots(MAX_LOADING));
  const options = new Map(found.options.map((option) => [option.value, option]));
  const thumbnailOf = (id: string) => {
    const file = options.get(id)?.file;
    return file !== undefined && <Thumbnail path={found.path} file={file} slots={slots} />;
  };
  if (found.isUnknown) return <TextControl {...props} />;
  const set = (next: readonly string[]) => {
    if (isMultiple) onChange({ value: next });
    else onChange({ value: next.at(-1) });
  };
  const select = {
    ...inputProps(props),
    data: found.options.map(({ value: id, label }) => ({ value: id, label })),
    ...(found.isMedia && {
      renderOption: ({ option }: { readonly option: { readonly value: string; readonly label: string } }) => (
        <Group gap="xs" wrap="nowrap">
          {isListed && thumbnailOf(option.value)}
          <Text className="wrap">{option.label}</Text>
        </Group>
      ),
    }),
    searchable: true,
    disabled: isReadOnly,
    // The server has found them.
    filter: SERVER_FOUND,
    onDropdownOpen: () => {
      setOpen(true);
      setListed(true);
    },
    onDropdownClose: () => setListed(false),
    nothingFoundMessage: found.isAsking ? 'Searching …' : 'Nothing found',
    maxDropdownHeight: 300,
    placeholder: isMultiple || ids.length === 0 ? 'Search' : '',
    onSearchChange: (text: string) => setSearch(text),
  };
  return (
    <Stack gap={2}>
      {isMultiple ? (
        <MultiSelect {...select} value={[...ids]} onChange={set} hidePickedOptions />
      ) : (
        <Select
          {...select}
          value={ids[0] ?? null}
          allowDeselect={false}
          onChange={(id) => set(id === null ? [] : [id])}
        />
      )}
      <Group gap="xs">
        {ids.map((id) => (
          <Group key={id} gap="xs">
            {thumbnailOf(id)}
            <Anchor component={Link} href={documentHref(found.path, id)} size="sm" className="wrap">
              Open {options.get(id)?.label}
            </Anchor>
          </Group>
        ))}
        {!isReadOnly && !isMultiple && ids.length > 0 && !field.isRequired && (
          <Small label={field.label} text="Remove" onClick={() => onChange({})} />
        )}
        {!isReadOnly && ids.length < 2 && (
          <Small
            label={field.label}
            text={isMultiple ? 'Choose one document' : 'Choose several documents'}
            onClick={() => onChange({ value: isMultiple && !field.isMultiple ? ids[0] : [...ids] })}
          />
        )}
        {!isReadOnly && found.mayCreate && Dialog !== undefined && (
          <Small
            label={field.label}
            text={found.isMedia ? 'Upload' : 'New'}
            onClick={() => setMaking(true)}
          />
        )}
      </Group>
      {isMaking && Dialog !== undefined && (
        <Dialog
          path={found.path}
          onClose={() => setMaking(false)}
          onMade={({ _id }) => {
            setMaking(false);
            set([...ids, _id]);
          }}
        />
      )}
    </Stack>
  );
}

interface SmallProps {
  /** The label of the field. */
  readonly label: string;
  readonly text: string;
  readonly onClick: () => void;
}

const Small = ({ label, text, onClick }: SmallProps) => (
  <Button variant="subtle" size="compact-xs" aria-description={label} onClick={onClick}>
    {text}
  </Button>
);
