// Searches in one field, or by a filter in JSON as the API takes it.
import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Field } from '../fields/field.ts';
import { filterOf, parseTerm, TEST_NAMES, type Test, testsOf } from './search-terms.ts';

/** No name of a field begins so. */
const BY_JSON = '$json';

interface SearchFormProps {
  readonly fields: readonly Field[];
  /** JSON; empty: everything. */
  readonly filter: string;
  readonly onChange: (filter: string) => void;
}

/** What the form shows for a filter; a new filter needs a new form (`key`). */
export function SearchForm({ fields, filter, onChange }: SearchFormProps) {
  const given = parseTerm(filter, fields);
  const first = fields.find(({ type }) => type === 'String')?.name ?? '_id';
  const [field, setField] = useState(given?.field ?? (filter === '' ? first : BY_JSON));
  const [wanted, setTest] = useState<Test>(given?.test ?? 'contains');
  const [value, setValue] = useState(given?.value ?? filter);
  const type = field === '_id' ? 'ObjectID' : (fields.find(({ name }) => name === field)?.type ?? 'String');
  const tests = testsOf(type);
  const test = tests.includes(wanted) ? wanted : (tests[0] ?? 'is');
  const isByJson = field === BY_JSON;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isByJson) onChange(value.trim());
    else onChange(value === '' && test !== 'missing' ? '' : filterOf({ field, test, value }, type));
  };
  return (
    <form onSubmit={submit} aria-label="Search">
      <Group align="flex-end">
        <NativeSelect
          label="Search in"
          value={field}
          maw="14rem"
          onChange={(event) => setField(event.currentTarget.value)}
          data={[
            ...fields.map(({ name, label }) => ({ value: name, label })),
            { value: '_id', label: 'Id' },
            { value: BY_JSON, label: 'Filter in JSON' },
          ]}
        />
        {!isByJson && (
          <NativeSelect
            label="Which"
            value={test}
            onChange={(event) => setTest(tests.find((name) => name === event.currentTarget.value) ?? 'is')}
            data={tests.map((name) => ({ value: name, label: TEST_NAMES[name] }))}
          />
        )}
        {!isByJson && type === 'Boolean' && test !== 'missing' && (
          <NativeSelect
            label="Value"
            value={/^(?:yes|true|1)$/i.test(value) ? 'true' : value === '' ? '' : 'false'}
            onChange={(event) => setValue(event.currentTarget.value)}
            data={[
              { value: '', label: 'any' },
              { value: 'true', label: 'yes' },
              { value: 'false', label: 'no' },
            ]}
          />
        )}
        {(isByJson || (type !== 'Boolean' && test !== 'missing')) && (
          <TextInput
            label={isByJson ? 'Filter' : 'Value'}
            type="search"
            placeholder={isByJson ? '{"pages": {"$gt": 100}}' : ''}
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
        )}
        <Button type="submit" variant="default">
          Search
        </Button>
        {filter !== '' && (
          <Button variant="default" onClick={() => onChange('')}>
            Show all
          </Button>
        )}
      </Group>
    </form>
  );
}
