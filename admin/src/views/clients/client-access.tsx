// What a client may do with a collection or a document, and why: the server is asked, which decides.
import { Button, Group, List, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { pathOf } from '../../api/api.ts';
import { useApi, useMe } from '../../api/api-context.tsx';
import { ACTIONS, type Action, type ClientAccess } from '../../api/types.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Answer } from '../../parts/loading.tsx';
import { parsePaste } from './pasted-address.ts';

interface Question {
  readonly path: string;
  /** Id of a document; empty: the collection as a whole. */
  readonly document: string;
}

/** The section of a client's view. The question is in the address. */
export function ClientAccessSection({ clientId }: { readonly clientId: string }) {
  const [search, setSearch] = useSearchParams();
  const asked = { path: search.get('path') ?? '', document: search.get('document') ?? '' };
  return (
    <Stack component="section" aria-label="What it may do with a document">
      <Title order={2}>What may it do with a document?</Title>
      <QuestionForm
        key={`${asked.path} ${asked.document}`}
        asked={asked}
        onAsk={({ path, document }) => setSearch({ path, ...(document !== '' && { document }) })}
      />
      {asked.path !== '' && <Decisions clientId={clientId} question={asked} />}
    </Stack>
  );
}

interface QuestionFormProps {
  readonly asked: Question;
  readonly onAsk: (question: Question) => void;
}

function QuestionForm({ asked, onAsk }: QuestionFormProps) {
  const me = useMe();
  const [{ path, document }, setQuestion] = useState(asked);
  const paths = me.collections.map((collection) => collection.path);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (path !== '') onAsk({ path, document: document.trim() });
  };
  const write = (text: string) => {
    // Whoever copies the address of a document has its collection with it.
    const pasted = parsePaste(text, paths);
    setQuestion((before) => ({ path: pasted.path ?? before.path, document: pasted.document }));
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        <Select
          label="Collection"
          searchable
          data={paths}
          value={path === '' ? null : path}
          onChange={(next) => setQuestion((before) => ({ ...before, path: next ?? '' }))}
        />
        <TextInput
          label="Document"
          description="Its id, or its address; empty: any"
          autoComplete="off"
          value={document}
          onChange={(event) => write(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={path === ''}>
          Ask
        </Button>
      </Group>
    </form>
  );
}

const ALLOWED = { yes: 'Yes', no: 'No', some: 'With some' } as const;
const LABELS: Readonly<Record<Action, string>> = {
  read: 'Read',
  create: 'Create another',
  update: 'Change',
  delete: 'Delete',
  history: 'Read its revisions',
};

const columnsOf = ({ actions }: ClientAccess): readonly Column<Action>[] => [
  { label: 'Action', isName: true, cell: (action) => LABELS[action] },
  { label: 'Allowed', cell: (action) => ALLOWED[actions[action].allowed] },
  { label: 'Why', cell: (action) => <span className="wrap">{actions[action].because}</span> },
];

const STATES = {
  present: undefined,
  removed: 'The document was deleted. Its revisions are left.',
  absent: 'There is no such document.',
} as const;

interface DecisionsProps {
  readonly clientId: string;
  readonly question: Question;
}

function Decisions({ clientId, question: { path, document } }: DecisionsProps) {
  const api = useApi();
  const query = useQuery({
    // With the rights of the client: they change beside it.
    queryKey: ['clients', clientId, 'access', path, document],
    queryFn: ({ signal }) =>
      api.get<ClientAccess>(pathOf('api', 'clients', clientId, 'access'), {
        query: { path, ...(document !== '' && { document }) },
        signal,
      }),
  });
  return (
    <Answer query={query} what="what the client may do">
      {(access) => (
        <Stack role="status">
          {access.state !== undefined && STATES[access.state] !== undefined && (
            <Text>{STATES[access.state]}</Text>
          )}
          <DataTable
            caption="Decisions"
            columns={columnsOf(access)}
            rows={ACTIONS}
            keyOf={(action) => action}
          />
          <Fields text="It never gets these fields:" names={access.hidden} />
          <Fields text="It may not set these fields:" names={access.closed} />
          {access.hooks.length > 0 && (
            <Text>
              Code decides as well, and was not asked: this collection has hooks for {access.hooks.join(', ')}
              .
            </Text>
          )}
        </Stack>
      )}
    </Answer>
  );
}

function Fields({ text, names }: { readonly text: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div>
      <Text>{text}</Text>
      <List>
        {names.map((name) => (
          <List.Item key={name} className="mono wrap">
            {name}
          </List.Item>
        ))}
      </List>
    </div>
  );
}
