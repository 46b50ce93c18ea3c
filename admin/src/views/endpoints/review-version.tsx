// One version that waits: what it newly may do, its policy and its code beside those in force, and its approval.
import { Anchor, Button, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { JsonObject } from '../../api/types.ts';
import { CodeEditor } from '../../parts/code/code-editor.tsx';
import { useDialogs } from '../../parts/dialogs.tsx';
import { ErrorMessage } from '../../parts/error-message.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Answer, Empty } from '../../parts/loading.tsx';
import {
  pendingOf,
  useCodeRights,
  useModuleWrites,
  usePolicy,
  useSource,
  useVersionPolicy,
  useVersionSource,
  useVersions,
} from '../../parts/modules/module-queries.ts';
import { fullHrefOf, type ModuleRef, titleOf } from '../../parts/modules/module-ref.ts';
import { type Policy, toPolicy, withoutCode, writePolicy } from '../../parts/modules/policy/policy.ts';
import { Openings, PolicyWords } from '../../parts/modules/policy/policy-words.tsx';
import { Time } from '../../parts/time.tsx';
import { useToasts } from '../../parts/toasts.tsx';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { View } from '../../shell/view.tsx';

interface VersionProps {
  readonly of: ModuleRef;
  readonly version: number;
}

const TRAIL = [
  { name: 'Endpoints', href: '/' },
  { name: 'Review', href: '/review' },
];

export function ReviewVersion({ of: ref, version }: VersionProps) {
  const inForce = usePolicy(ref);
  return (
    <View title={`Review ${titleOf(ref)}, version ${version}`} trail={TRAIL}>
      <Answer query={inForce} what="what is in force">
        {(policy) =>
          pendingOf(policy).includes(version) ? (
            <Waiting of={ref} version={version} inForce={policy ?? {}} />
          ) : (
            <Empty text={`Version ${version} of ${titleOf(ref)} does not wait for approval, or no longer.`}>
              <Anchor component={Link} href="/review">
                To what waits
              </Anchor>
            </Empty>
          )
        }
      </Answer>
    </View>
  );
}

function Waiting({ of: ref, version, inForce }: VersionProps & { readonly inForce: JsonObject }) {
  const next = useVersionPolicy(ref, version);
  const source = useVersionSource(ref, version);
  const active = useSource(ref);
  const policyBefore = withoutCode(inForce);
  const isFirst = active.data === null;
  return (
    <Stack>
      <Author of={ref} version={version} />
      <Answer query={next} what="the policy that waits">
        {(policy) => <Policies policy={policy ?? {}} before={policyBefore} isFirst={isFirst} />}
      </Answer>
      <Title order={2}>Code</Title>
      <Answer query={active} what="the code in force">
        {(now) => (
          <Answer query={source} what="the code that waits">
            {(text) => <CodeSideBySide version={version} text={text ?? ''} now={now} />}
          </Answer>
        )}
      </Answer>
      <Decision of={ref} version={version} />
    </Stack>
  );
}

function Author({ of: ref, version }: VersionProps) {
  const versions = useVersions(ref);
  const found = versions.data?.find((one) => one.version === version);
  return (
    <Facts
      facts={[
        ['What', `${ref.kind === 'endpoint' ? 'Endpoint' : 'Hook'} ${titleOf(ref)}`],
        ...(found === undefined
          ? []
          : ([
              ['Posted by', found.clientId ?? 'nobody: a file on the machine'],
              ['When', <Time key="when" at={found.createdAt} />],
              [
                'Hash of the code',
                <span key="hash" className="mono">
                  {found.sha256}
                </span>,
              ],
            ] as const)),
      ]}
    />
  );
}

interface PoliciesProps {
  readonly policy: JsonObject;
  readonly before: JsonObject;
  /** Nothing is in force yet. */
  readonly isFirst: boolean;
}

function Policies({ policy, before, isFirst }: PoliciesProps) {
  const next = toPolicy(policy);
  // Where no code is in force, no policy is either, whatever the server keeps for later.
  const now: Policy | undefined = isFirst ? {} : toPolicy(before);
  if (next === undefined || now === undefined) {
    return <CodeEditor label="Policy that waits" language="json" value={writePolicy(policy)} isReadOnly />;
  }
  return (
    <>
      <Openings policy={next} before={now} isFirst={isFirst} />
      <Title order={2}>Policy</Title>
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Text fw={700}>In force</Text>
          {isFirst ? <Text>None: nothing of it runs yet.</Text> : <PolicyWords policy={now} />}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Text fw={700}>Waiting</Text>
          <PolicyWords policy={next} />
        </Grid.Col>
      </Grid>
      <CodeEditor
        label="Policy that waits, and its changes"
        language="json"
        value={writePolicy(next)}
        original={isFirst ? undefined : writePolicy(now)}
        isReadOnly
      />
    </>
  );
}

interface CodeSideBySideProps {
  readonly version: number;
  readonly text: string;
  readonly now: string | null;
}

function CodeSideBySide({ version, text, now }: CodeSideBySideProps) {
  if (now === text) {
    return (
      <>
        <Text>The code is the one in force. Only the policy changes.</Text>
        <CodeEditor label={`Code of version ${version}`} language="javascript" value={text} isReadOnly />
      </>
    );
  }
  return (
    <Grid>
      {now !== null && (
        <Grid.Col span={{ base: 12, md: 6 }}>
          <CodeEditor label="Code in force" language="javascript" value={now} isReadOnly />
        </Grid.Col>
      )}
      <Grid.Col span={{ base: 12, md: now === null ? 12 : 6 }}>
        <CodeEditor
          label={`Code of version ${version}${now === null ? '' : ', and its changes'}`}
          language="javascript"
          value={text}
          original={now ?? undefined}
          isReadOnly
        />
      </Grid.Col>
    </Grid>
  );
}

function Decision({ of: ref, version }: VersionProps) {
  const leave = useLeave();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { mayApprove, mayChange } = useCodeRights();
  const { approve } = useModuleWrites(ref);
  const ask = async () => {
    const isSure = await dialogs.confirm({
      title: `Approve version ${version} of ${titleOf(ref)}?`,
      gone: ['the code and the policy in force', 'versions that wait and are older'],
      note: 'It answers requests at once. The audit log names you.',
      action: 'Approve',
    });
    if (!isSure) return;
    try {
      // This view is gone once the version no longer waits: what follows must not depend on it.
      await approve.mutateAsync(version);
    } catch {
      return;
    }
    toasts.say(`Version ${version} of ${titleOf(ref)} is in force.`);
    leave('/review');
  };
  return (
    <Stack>
      <Title order={2}>Decision</Title>
      {approve.error !== null && <ErrorMessage error={approve.error} />}
      {mayApprove ? (
        <Group>
          <Button onClick={() => void ask()} loading={approve.isPending}>
            Approve
          </Button>
        </Group>
      ) : (
        <Text>Only a reviewer approves. A command on the machine gives this right.</Text>
      )}
      <Text>
        There is no refusal: what nobody approves never runs. Tell its author what is wrong; a newer version
        that is approved takes the place of this one.{' '}
        {mayChange ? (
          <>
            To stop or remove the {ref.kind} as a whole, open{' '}
            <Anchor component={Link} href={fullHrefOf(ref)}>
              {titleOf(ref)}
            </Anchor>{' '}
            and choose Suspend or Delete.
          </>
        ) : (
          `An admin can suspend or delete the ${ref.kind} as a whole.`
        )}
      </Text>
    </Stack>
  );
}
