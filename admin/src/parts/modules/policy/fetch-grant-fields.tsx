// What code may ask of one other service.
import {
  Autocomplete,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Stack,
  TagsInput,
  Textarea,
} from '@mantine/core';
import { useState } from 'react';
import { fetchBounds, numberProps } from './bounds.ts';
import { errorAt, type FieldsProps, toNumber, withMember } from './members.ts';
import { DEFAULT_FETCH_BYTES, DEFAULT_FETCH_MS, type FetchGrant, METHODS } from './policy.ts';

interface FetchGrantFieldsProps extends FieldsProps<FetchGrant> {
  readonly number: number;
  /** Path of the grant in the policy, as errors name it. */
  readonly place: string;
  readonly grant: FetchGrant;
  readonly onRemove: () => void;
}

const writeHeaders = (headers: FetchGrant['headers'] = {}) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function readHeaders(text: string): FetchGrant['headers'] {
  const pairs = text.split('\n').flatMap((line) => {
    const [name = '', ...rest] = line.split(':');
    return name.trim() === '' ? [] : [[name.trim(), rest.join(':').trim()] as const];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

export function FetchGrantFields(props: FetchGrantFieldsProps) {
  const { number, place, grant, bounds, errors, onChange, onRemove } = props;
  const most = bounds === undefined ? undefined : fetchBounds(bounds, grant);
  const named = (bounds?.grants.fetch ?? []).map(({ origin }) => origin).filter((one) => !one.endsWith('*'));
  const [written, setWritten] = useState(writeHeaders(grant.headers));
  // Lines that are not finished stay as they are typed; headers that were changed elsewhere replace them.
  const isCurrent = writeHeaders(readHeaders(written)) === writeHeaders(grant.headers);
  const headers = isCurrent ? written : writeHeaders(grant.headers);
  return (
    <Stack gap="sm">
      <Autocomplete
        label="Origin"
        description="Such as https://api.example.com. The operator decides which origins there may be"
        required
        data={[...new Set(named)]}
        value={grant.origin}
        error={errorAt(errors, `${place}.origin`)}
        onChange={(origin) => onChange({ ...grant, origin })}
      />
      <Checkbox.Group
        label="Methods"
        value={[...(grant.methods ?? ['GET'])]}
        error={errorAt(errors, `${place}.methods`)}
        onChange={(values) =>
          onChange({ ...grant, methods: METHODS.filter((method) => values.includes(method)) })
        }
      >
        <Group mt="xs">
          {METHODS.map((method) => (
            <Checkbox key={method} value={method} label={method} />
          ))}
        </Group>
      </Checkbox.Group>
      <TagsInput
        label="Paths"
        description="One that ends in / stands for all below it. When empty: every path"
        value={[...(grant.paths ?? [])]}
        error={errorAt(errors, `${place}.paths`)}
        onChange={(paths) => onChange(withMember(grant, 'paths', paths.length === 0 ? undefined : paths))}
      />
      <Textarea
        label="Headers that the server adds"
        description="One a line: name: value. secret:NAME is the secret of that name, which the code never sees"
        autosize
        minRows={1}
        value={headers}
        error={errorAt(errors, `${place}.headers`)}
        onChange={(event) => {
          setWritten(event.currentTarget.value);
          onChange(withMember(grant, 'headers', readHeaders(event.currentTarget.value)));
        }}
      />
      <NumberInput
        label="Size of an answer, bytes"
        {...numberProps({
          value: grant.maxBytes,
          usual: DEFAULT_FETCH_BYTES,
          bound: most?.maxBytes,
          error: errorAt(errors, `${place}.maxBytes`),
        })}
        onChange={(value) => onChange(withMember(grant, 'maxBytes', toNumber(value)))}
      />
      <NumberInput
        label="Time of one call, ms"
        {...numberProps({
          value: grant.timeoutMs,
          usual: DEFAULT_FETCH_MS,
          bound: most?.timeoutMs,
          error: errorAt(errors, `${place}.timeoutMs`),
        })}
        onChange={(value) => onChange(withMember(grant, 'timeoutMs', toNumber(value)))}
      />
      <Button variant="default" w="fit-content" onClick={onRemove}>
        Remove service {number}
      </Button>
    </Stack>
  );
}
