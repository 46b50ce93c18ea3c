// A table of what differs: theirs and mine.
import { Text } from '@mantine/core';
import { type Column, DataTable } from './data-table.tsx';
import type { Difference } from './differences.ts';

/** Lines of the table; what is more is counted. */
const MAX_SHOWN = 20;

const wrapped = (text: string) => <span className="wrap">{text}</span>;

const COLUMNS: readonly Column<Difference>[] = [
  { label: 'Field', isName: true, cell: ({ name }) => wrapped(name) },
  { label: 'Theirs', cell: ({ theirs }) => wrapped(theirs) },
  { label: 'Mine', cell: ({ mine }) => wrapped(mine) },
];

export function DifferenceTable({ found }: { readonly found: readonly Difference[] }) {
  const more = found.length - MAX_SHOWN;
  return (
    <>
      <DataTable
        caption="What differs"
        columns={COLUMNS}
        rows={found.slice(0, MAX_SHOWN)}
        keyOf={({ name }) => name}
      />
      {more > 0 && <Text>And {more} more.</Text>}
    </>
  );
}
