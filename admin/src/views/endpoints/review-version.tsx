// One version that waits: what it newly may do, its policy and its code beside those in force, and the decision about it.
import { Grid, Stack, Text, Title } from '@mantine/core';
import type { JsonObject } from '../../api/types.ts';
import type { PendingVersion } from '../../api/types-modules.ts';
import { CodeEditor } from '../../parts/code/code-editor.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Answer } from '../../parts/loading.tsx';
import {
  useModule,
  useModuleWrites,
  usePolicy,
  usePolicyLimits,
  useSource,
  useVersionPolicy,
  useVersionSource,
  useVersions,
} from '../../parts/modules/module-queries.ts';
import { type ModuleKind, type ModuleRef, titleOf } from '../../parts/modules/module-ref.ts';
import { boundedPolicy } from '../../parts/modules/policy/bounds.ts';
import { type Policy, toPolicy, withoutCode, writePolicy } from '../../parts/modules/policy/policy.ts';
import { PolicyComparison } from '../../parts/modules/policy/policy-comparison.tsx';
import { Openings, PolicyWords } from '../../parts/modules/policy/policy-words.tsx';
import { partWords } from '../../parts/modules/review-queries.ts';
import { Time } from '../../parts/time.tsx';
import { View } from '../../shell/view.tsx';
import { Decided, Decision } from './review-decision.tsx';

interface VersionProps {
  readonly of: ModuleRef;
  readonly version: number;
}

const TRAIL = [
  { name: 'Endpoints', href: '/' },
  { name: 'Review', href: '/review' },
];

export function ReviewVersion({ of: ref, version }: VersionProps) {
  const module = useModule(ref);
  const writes = useModuleWrites(ref);
  return (
    <View title={`Review ${titleOf(ref)}, version ${version}`} trail={TRAIL}>
      <Answer query={module} what="what waits">
        {(found) => {
          const waiting = found?.pending?.find((one) => one.version === version);
          const error = writes.approve.error ?? writes.refuse.error;
          if (waiting === undefined) return <Decided of={ref} version={version} error={error} />;
          return (
            <>
              <Waiting of={ref} waiting={waiting} />
              <Decision of={ref} waiting={waiting} writes={writes} />
            </>
          );
        }}
      </Answer>
    </View>
  );
}

interface WaitingProps {
  readonly of: ModuleRef;
  readonly waiting: PendingVersion;
}

/** What is new, beside what is in force. */
function Waiting({ of: ref, waiting }: WaitingProps) {
  const { version } = waiting;
  const next = useVersionPolicy(ref, version);
  const source = useVersionSource(ref, version);
  const inForce = usePolicy(ref);
  const active = useSource(ref);
  const isFirst = active.data === null;
  return (
    <Stack>
      <Author of={ref} waiting={waiting} />
      <Answer query={inForce} what="the policy in force">
        {(before) => (
          <Answer query={next} what="the policy that waits">
            {(policy) => (
              <Policies
                kind={ref.kind}
                policy={policy ?? {}}
                before={withoutCode(before?.body ?? {})}
                isFirst={isFirst}
              />
            )}
          </Answer>
        )}
      </Answer>
      <Title order={2}>Code</Title>
      <Answer query={active} what="the code in force">
        {(now) => (
          <Answer query={source} what="the code that waits">
            {(text) => <CodeSideBySide version={version} text={text ?? ''} now={now?.body ?? null} />}
          </Answer>
        )}
      </Answer>
    </Stack>
  );
}

function Author({ of: ref, waiting }: WaitingProps) {
  const versions = useVersions(ref);
  const sha256 = versions.data?.find((one) => one.version === waiting.version)?.sha256;
  const hash = (
    <span key="hash" className="mono">
      {sha256}
    </span>
  );
  return (
    <Facts
      facts={[
        ['What', `${partWords(waiting)} of the ${ref.kind} ${titleOf(ref)}`],
        ['Posted by', waiting.by ?? 'nobody'],
        ['When', <Time key="when" at={waiting.at} />],
        ...(sha256 === undefined ? [] : [['Hash of the code', hash] as const]),
      ]}
    />
  );
}

interface PoliciesProps {
  readonly kind: ModuleKind;
  readonly policy: JsonObject;
  readonly before: JsonObject;
  /** Nothing is in force yet. */
  readonly isFirst: boolean;
}

function Policies({ kind, policy, before, isFirst }: PoliciesProps) {
  const limits = usePolicyLimits(kind);
  const bounded = (one: Policy) => (limits === undefined ? one : boundedPolicy(one, limits));
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
      {isFirst ? (
        <>
          <Text>None is in force: nothing of it runs yet. This one waits:</Text>
          <PolicyWords policy={bounded(next)} />
        </>
      ) : (
        <PolicyComparison before={bounded(now)} next={bounded(next)} />
      )}
      {(isFirst || writePolicy(now) !== writePolicy(next)) && (
        <CodeEditor
          label="Policy that waits, and its changes"
          language="json"
          value={writePolicy(next)}
          original={isFirst ? undefined : writePolicy(now)}
          isReadOnly
        />
      )}
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
