// What waits for a reviewer: new code and new policies of endpoints and hooks.
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Answer, Empty } from '../../parts/loading.tsx';
import { useCodeRights } from '../../parts/modules/module-queries.ts';
import { titleOf } from '../../parts/modules/module-ref.ts';
import {
  partWords,
  reviewHref,
  useWaitingVersions,
  type WaitingVersion,
} from '../../parts/modules/review-queries.ts';
import { Time } from '../../parts/time.tsx';
import { View } from '../../shell/view.tsx';

const COLUMNS: readonly Column<WaitingVersion>[] = [
  {
    label: 'Name',
    isName: true,
    cell: ({ ref, version }) => (
      <Anchor component={Link} href={reviewHref(ref, version)} className="wrap">
        {titleOf(ref)}, version {version}
      </Anchor>
    ),
  },
  { label: 'Kind', cell: ({ ref }) => (ref.kind === 'endpoint' ? 'Endpoint' : 'Hook') },
  { label: 'What', cell: partWords },
  { label: 'Posted by', cell: ({ by }) => <span className="wrap">{by ?? 'nobody'}</span> },
  { label: 'Since', cell: ({ at }) => <Time at={at} /> },
];

export function ReviewQueue() {
  const query = useWaitingVersions();
  const { mayApprove } = useCodeRights();
  return (
    <View title="Review" trail={[{ name: 'Endpoints', href: '/' }]}>
      <Text>
        Code and policies that wait until a reviewer approves or refuses them, the oldest first. Nothing of
        them runs before.
        {!mayApprove &&
          ' You may read them, and not decide: only a reviewer does, whom a command on the machine makes one.'}
      </Text>
      <Answer query={query} what="what waits">
        {(versions) =>
          versions.length === 0 ? (
            <Empty text="Nothing waits for approval." />
          ) : (
            <DataTable
              caption="Waiting versions"
              columns={COLUMNS}
              rows={versions}
              keyOf={({ ref, version }) => `${ref.kind} ${titleOf(ref)} ${version}`}
            />
          )
        }
      </Answer>
    </View>
  );
}
