// The end of a review: approving or refusing a version that waits, and what was decided about one that does not any more.
import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useMe } from '../../api/api-context.tsx';
import type { PendingVersion } from '../../api/types-modules.ts';
import { useDialogs } from '../../parts/dialogs.tsx';
import { ErrorMessage } from '../../parts/error-message.tsx';
import { Answer, Empty } from '../../parts/loading.tsx';
import { useCodeRights, type useModuleWrites, useVersions } from '../../parts/modules/module-queries.ts';
import { fullHrefOf, type ModuleRef, titleOf } from '../../parts/modules/module-ref.ts';
import { RefusalText } from '../../parts/modules/module-state.tsx';
import { useToasts } from '../../parts/toasts.tsx';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { RefuseDialog } from './refuse-dialog.tsx';

interface DecisionProps {
  readonly of: ModuleRef;
  readonly waiting: PendingVersion;
  /** Of the view around it, which stays when the version waits no more. */
  readonly writes: Pick<ReturnType<typeof useModuleWrites>, 'approve' | 'refuse'>;
}

export function Decision({ of: ref, waiting: { version, by }, writes }: DecisionProps) {
  const { approve, refuse } = writes;
  const leave = useLeave();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const me = useMe();
  const { mayApprove } = useCodeRights();
  const [isRefusing, setRefusing] = useState(false);
  const what = `version ${version} of ${titleOf(ref)}`;
  /** This view is gone once the version no longer waits: what follows must not depend on it. */
  const finish = async (decision: Promise<unknown>, done: string) => {
    try {
      await decision;
    } catch {
      return;
    }
    toasts.say(`Version ${version} of ${titleOf(ref)} ${done}.`);
    leave('/review');
  };
  const askToApprove = async () => {
    const isSure = await dialogs.confirm({
      title: `Approve ${what}?`,
      gone: [],
      note: 'It takes the place of the code and the policy in force, which stay among the versions. Older versions that wait are dropped. It answers requests at once. The audit log names you.',
      action: 'Approve',
    });
    if (!isSure) return;
    refuse.reset();
    await finish(approve.mutateAsync(version), 'is in force');
  };
  return (
    <Stack>
      <Title order={2}>Decision</Title>
      {approve.error !== null && <ErrorMessage error={approve.error} />}
      {!mayApprove && (
        <Text>Only a reviewer approves or refuses. A command on the machine gives this right.</Text>
      )}
      {mayApprove && by === me.clientId && (
        <Text>You posted this version. A reviewer who wrote none of it has to decide.</Text>
      )}
      {mayApprove && by !== me.clientId && (
        <>
          <Group>
            <Button onClick={() => void askToApprove()} loading={approve.isPending}>
              Approve
            </Button>
            <Button
              color="red"
              variant="outline"
              onClick={() => {
                approve.reset();
                refuse.reset();
                setRefusing(true);
              }}
            >
              Refuse
            </Button>
          </Group>
          <RefuseDialog
            what={what}
            isOpen={isRefusing}
            isBusy={refuse.isPending}
            error={refuse.error}
            onClose={() => setRefusing(false)}
            onRefuse={(reason) => void finish(refuse.mutateAsync({ version, reason }), 'is refused')}
          />
        </>
      )}
      {!mayApprove && (
        <Text>
          To stop or remove the {ref.kind} as a whole, open{' '}
          <Anchor component={Link} href={fullHrefOf(ref)}>
            {titleOf(ref)}
          </Anchor>{' '}
          and choose Suspend or Delete.
        </Text>
      )}
    </Stack>
  );
}

interface DecidedProps {
  readonly of: ModuleRef;
  readonly version: number;
  /** Why the decision of the reader was not taken. */
  readonly error: unknown;
}

/** A version that does not wait: another reviewer may have decided while somebody read it. */
export function Decided({ of: ref, version, error }: DecidedProps) {
  const versions = useVersions(ref);
  return (
    <Stack>
      {error !== null && error !== undefined && <ErrorMessage error={error} />}
      <Answer query={versions} what="what was decided">
        {(found) => {
          const one = found.find((known) => known.version === version);
          if (one?.refused === undefined) {
            const state = one?.active === true ? 'is in force' : 'does not wait for approval, or no longer';
            return <Empty text={`Version ${version} of ${titleOf(ref)} ${state}.`} />;
          }
          return (
            <Alert variant="outline" title={`Version ${version} was refused`}>
              <RefusalText refusal={one.refused} />
            </Alert>
          );
        }}
      </Answer>
      <Group>
        <Anchor component={Link} href="/review">
          To what waits
        </Anchor>
        <Anchor component={Link} href={fullHrefOf(ref, 'versions')}>
          To the versions of {titleOf(ref)}
        </Anchor>
      </Group>
    </Stack>
  );
}
