// A table that becomes a list of cards where the window is narrow. It stays a table for screen readers.
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<T> {
  /** Text of the header, and the label of the value on a card. */
  readonly label: string;
  readonly cell: (row: T) => ReactNode;
  /** The header cell of its row: what the row is about. */
  readonly isName?: boolean;
  /** Replaces the header where it is more than text, such as a button that sorts. */
  readonly header?: ReactNode;
  readonly sort?: 'ascending' | 'descending' | undefined;
}

interface DataTableProps<T> {
  /** What the table shows; read by screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

export function DataTable<T>({ caption, columns, rows, keyOf }: DataTableProps<T>) {
  return (
    <Table className={classes['table'] ?? ''} aria-label={caption} highlightOnHover>
      <thead className={classes['head']}>
        <tr>
          {columns.map(({ label, header, sort }) => (
            <th key={label} scope="col" aria-sort={sort}>
              {header ?? label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className={classes['row']}>
            {columns.map(({ label, cell, isName }) =>
              isName ? (
                <th key={label} scope="row" className={classes['cell']} data-label={label}>
                  <div className={classes['value']}>{cell(row)}</div>
                </th>
              ) : (
                <td key={label} className={classes['cell']} data-label={label}>
                  <div className={classes['value']}>{cell(row)}</div>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
