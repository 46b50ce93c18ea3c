// Entries of the audit log as a table; the rest of each is unfolded on demand.
import { Button, Code, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { AuditEntry } from '../../api/types.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Time } from '../../parts/time.tsx';
import classes from './audit-entries.module.css';

interface AuditEntriesProps {
  readonly entries: readonly AuditEntry[];
  /** Narrows the list to what was clicked. */
  readonly onFilter: (filter: {
    readonly clientId?: string;
    readonly action?: string;
    readonly target?: string;
  }) => void;
}

export function AuditEntries({ entries, onFilter }: AuditEntriesProps) {
  const columns: readonly Column<AuditEntry>[] = [
    { label: 'Number', isName: true, cell: ({ seq }) => seq },
    { label: 'When', cell: ({ at }) => <Time at={at} /> },
    {
      label: 'Who',
      cell: ({ clientId }) =>
        clientId === null ? (
          'the machine'
        ) : (
          <Narrow text={clientId} what="changes by" onClick={() => onFilter({ clientId })} />
        ),
    },
    {
      label: 'Action',
      cell: ({ action }) => <Narrow text={action} what="entries with" onClick={() => onFilter({ action })} />,
    },
    {
      label: 'Target',
      cell: ({ target }) => <Narrow text={target} what="changes of" onClick={() => onFilter({ target })} />,
    },
    { label: 'Details', cell: (entry) => <Details entry={entry} /> },
  ];
  return (
    <DataTable
      caption="Entries of the audit log"
      columns={columns}
      rows={entries}
      keyOf={({ seq }) => `${seq}`}
    />
  );
}

function Narrow({
  text,
  what,
  onClick,
}: {
  readonly text: string;
  readonly what: string;
  readonly onClick: () => void;
}) {
  return (
    <UnstyledButton
      className={classes['narrow'] ?? ''}
      onClick={onClick}
      aria-label={`Show only ${what} ${text}`}
    >
      {text}
    </UnstyledButton>
  );
}

const hash = (value: string | null) => (value === null ? 'nothing' : <Code className="wrap">{value}</Code>);

function Details({ entry }: { readonly entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { seq, before, after, address, requestId, policy, key, previous } = entry;
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? 'Hide' : 'Show'} details of entry ${seq}`}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Hide' : 'Show'}
      </Button>
      {isOpen && (
        <Facts
          facts={[
            ['Hash before', hash(before)],
            ['Hash after', hash(after)],
            ...(policy === undefined
              ? []
              : ([
                  ['Policy before', hash(policy.before)],
                  ['Policy after', hash(policy.after)],
                ] as const)),
            ...(address === undefined ? [] : [['Address of the client', address] as const]),
            ...(requestId === undefined ? [] : [['Request', requestId] as const]),
            ['Signed with key', key],
            ['Hash of the entry', hash(entry.hash)],
            ['Hash of the entry before', hash(previous)],
          ]}
        />
      )}
    </>
  );
}
