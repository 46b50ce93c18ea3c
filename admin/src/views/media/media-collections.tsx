// The media collections that the caller may use.
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { isAdmin, useMe } from '../../api/api-context.tsx';
import type { CollectionRights } from '../../api/types.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/loading.tsx';
import { View } from '../../shell/view.tsx';
import { actionsInWords, parsePath } from '../collections/address.ts';

const COLUMNS: readonly Column<CollectionRights>[] = [
  {
    label: 'Collection',
    isName: true,
    cell: ({ path }) => (
      <Anchor component={Link} href={path}>
        {parsePath(path).name}
      </Anchor>
    ),
  },
  { label: 'Address', cell: ({ path }) => <span className="mono">{path}</span> },
  { label: 'You may', cell: ({ actions }) => actionsInWords(actions) },
  {
    label: 'What can be done',
    cell: ({ path, actions }) =>
      actions.includes('create') && (
        <Anchor component={Link} href={`${path}/upload`} aria-description={parsePath(path).name}>
          Upload
        </Anchor>
      ),
  },
];

export function MediaCollections() {
  const me = useMe();
  const rows = me.collections.filter(({ isMedia }) => isMedia === true);
  return (
    <View title="Media">
      {rows.length === 0 ? (
        <Empty text="There are no media collections that you may use.">
          {isAdmin(me) && (
            <Anchor component={Link} href="~/admin/collections/new">
              Make a collection: its settings name the type "media"
            </Anchor>
          )}
        </Empty>
      ) : (
        <DataTable caption="Media collections" columns={COLUMNS} rows={rows} keyOf={({ path }) => path} />
      )}
    </View>
  );
}
