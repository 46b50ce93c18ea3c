// Describes a visitor, and shows which branch of a route that visitor takes, and why. The description is in the address.
import {
  Badge,
  Button,
  Fieldset,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { pathOf } from '../../api/api.ts';
import { useApi } from '../../api/api-context.tsx';
import type { BranchDecision, ConditionTest, Decision } from '../../api/types-delivery.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Answer } from '../../parts/loading.tsx';
import { testInWords } from './branch.ts';
import { EXAMPLES, VISITOR_FIELDS } from './visitor.ts';

const TRIED = 'try';

interface RouteTesterProps {
  readonly name: string;
  /** What is written in the form is not what is saved. */
  readonly isChanged: boolean;
}

export function RouteTester({ name, isChanged }: RouteTesterProps) {
  const api = useApi();
  const [search, setSearch] = useSearchParams();
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(VISITOR_FIELDS.map((field) => [field.name, search.get(field.name) ?? ''])),
  );
  const isTried = search.get(TRIED) !== null;
  const asked = Object.fromEntries(
    VISITOR_FIELDS.map((field) => [field.name, search.get(field.name) || undefined]),
  );
  const query = useQuery({
    queryKey: ['decision', name, asked],
    queryFn: ({ signal }) =>
      api.get<Decision>(`${pathOf('api', 'routes', name)}/decide`, { query: asked, signal }),
    enabled: isTried,
  });
  const set = (field: string, value: string) => setValues((before) => ({ ...before, [field]: value }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = Object.entries(values).flatMap(([field, value]) =>
      value.trim() === '' ? [] : [[field, value.trim()] as const],
    );
    setSearch({ ...Object.fromEntries(given), [TRIED]: '1' });
    if (isTried) void query.refetch();
  };
  return (
    <Stack component="section" aria-label="Try a visitor" maw="56rem">
      <Title order={2} size="h3">
        Try a visitor
      </Title>
      {isChanged && <Text>What is tried is the route as it is saved, without your changes.</Text>}
      <form onSubmit={submit}>
        <Fieldset legend="The visitor: what is left empty is as in this browser">
          <Stack gap="sm">
            <NativeSelect
              label="Example of a device"
              value={EXAMPLES.find(({ userAgent }) => userAgent === values['userAgent'])?.userAgent ?? ''}
              data={[
                { value: '', label: 'Choose one to fill in "User agent"' },
                ...EXAMPLES.map(({ label, userAgent }) => ({ value: userAgent, label })),
              ]}
              onChange={(event) => set('userAgent', event.currentTarget.value)}
            />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {VISITOR_FIELDS.map((field) => (
                <TextInput
                  key={field.name}
                  label={field.label}
                  description={field.description}
                  autoComplete="off"
                  value={values[field.name] ?? ''}
                  onChange={(event) => set(field.name, event.currentTarget.value)}
                />
              ))}
            </SimpleGrid>
            <Group>
              <Button type="submit" variant="default" loading={query.isFetching}>
                Try
              </Button>
            </Group>
          </Stack>
        </Fieldset>
      </form>
      {isTried && (
        <Answer query={query} what="the decision">
          {(decision) => <Result decision={decision} />}
        </Answer>
      )}
    </Stack>
  );
}

interface Row extends BranchDecision {
  readonly index: number;
  readonly isTaken: boolean;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    label: 'Branch',
    isName: true,
    cell: ({ index, recipe }) => `${index + 1}: ${recipe ?? 'no recipe'}`,
  },
  {
    label: 'Result',
    cell: ({ matched, isTaken }) => (
      <Badge variant={isTaken ? 'filled' : 'outline'} color={isTaken ? 'blue' : 'gray'}>
        {isTaken ? 'Taken' : matched ? 'Fits, but comes later' : 'Does not fit'}
      </Badge>
    ),
  },
  { label: 'Why', cell: (row) => <Reasons {...row} /> },
];

function Reasons({ tests, broken, matched }: Row) {
  if (broken === true) return <Text size="sm">Something is wrong with this branch: it never matches.</Text>;
  if (tests.length === 0)
    return <Text size="sm">{matched ? 'It takes everybody.' : 'It takes nobody.'}</Text>;
  return (
    <Stack gap={2}>
      {tests.map((test) => (
        <Text key={test.condition} size="sm" className="wrap">
          {reason(test)}
        </Text>
      ))}
    </Stack>
  );
}

function reason({ condition, wanted, detected, matched }: ConditionTest): string {
  const found = detected.length === 0 ? 'nothing is known' : detected.join(', ');
  return `${matched ? 'Holds' : 'Does not hold'}: ${testInWords(condition, wanted)}. Found: ${found}.`;
}

function Result({ decision: { recipe, branches, detected } }: { readonly decision: Decision }) {
  const taken = branches.findIndex(({ matched }) => matched);
  const unknown = 'unknown';
  return (
    <Stack>
      <Text role="status" fw={700} className="wrap">
        {taken === -1
          ? 'This visitor takes no branch: the answer is 404.'
          : `This visitor takes branch ${taken + 1}, with the recipe ${recipe ?? ''}.`}
      </Text>
      <Facts
        facts={[
          ['Device', detected.device],
          ['Languages', detected.language.join(', ') || 'none'],
          ['Country', detected.country ?? unknown],
          ['Network', detected.network ?? unknown],
        ]}
      />
      <DataTable
        caption="How this visitor fares in every branch"
        columns={COLUMNS}
        rows={branches.map((branch, index) => ({ ...branch, index, isTaken: index === taken }))}
        keyOf={({ index }) => String(index)}
      />
    </Stack>
  );
}
