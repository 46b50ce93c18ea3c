// Verifies the audit log, part by part, and says what was found.
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import type { Api } from '../../api/api.ts';
import { useApi } from '../../api/api-context.tsx';
import type { AuditIssue, AuditPage, AuditVerification } from '../../api/types.ts';
import { ErrorMessage } from '../../parts/error-message.tsx';
import { formatNumber } from '../../parts/time.tsx';

/** What is known so far. `of`: the number of the newest entry. */
interface Progressing {
  readonly done: number;
  readonly of: number;
}

interface Result extends AuditVerification {
  /** Valid entries of all parts. */
  readonly total: number;
}

async function verifyAll(
  api: Api,
  onProgress: (progress: Progressing) => void,
  signal: AbortSignal,
): Promise<Result> {
  const newest = await api.get<AuditPage>('/api/audit', { query: { order: 'newest', limit: 1 }, signal });
  const of = newest.audit[0]?.seq ?? 0;
  let total = 0;
  let after = 0;
  for (;;) {
    const part = await api.get<AuditVerification>('/api/audit/verify', { query: { after }, signal });
    total += part.count;
    after = part.last?.seq ?? after;
    if (part.isComplete) return { ...part, total };
    onProgress({ done: after, of });
  }
}

export function Verification() {
  const api = useApi();
  const running = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState<Progressing>();
  const [result, setResult] = useState<Result>();
  const [error, setError] = useState<unknown>();
  const verify = async () => {
    running.current = new AbortController();
    const { signal } = running.current;
    setProgress({ done: 0, of: 0 });
    setResult(undefined);
    setError(undefined);
    try {
      setResult(await verifyAll(api, setProgress, signal));
    } catch (thrown) {
      if (!signal.aborted) setError(thrown);
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" onClick={() => void verify()} disabled={progress !== undefined}>
          Verify
        </Button>
        {progress !== undefined && (
          <>
            <Button variant="default" onClick={() => running.current?.abort()}>
              Stop
            </Button>
            <Text role="status">
              Verified up to entry {formatNumber(progress.done)} of {formatNumber(progress.of)} …
            </Text>
          </>
        )}
      </Group>
      {progress !== undefined && progress.of > 0 && (
        <Progress value={(100 * progress.done) / progress.of} aria-label="How much is verified" />
      )}
      {error !== undefined && <ErrorMessage error={error} retry={() => void verify()} />}
      {result !== undefined && <Report result={result} />}
    </Stack>
  );
}

const ISSUES: Readonly<Record<AuditIssue['kind'], (issue: AuditIssue) => string>> = {
  changed: ({ seq }) => `Entry ${seq} was changed: it is not what was signed.`,
  missing: ({ seq, to = seq }) =>
    to === seq
      ? `Entry ${seq} is missing; the next one is there.`
      : `Entries ${seq} to ${to} are missing; the next one is there.`,
  moved: ({ seq, entry }) => `In place of entry ${seq} stands entry ${entry?.seq ?? 'of another number'}.`,
  replaced: ({ seq }) => `Entry ${seq} does not follow the entry that was there before.`,
  truncated: ({ seq, to = seq }) =>
    to === seq ? `Entry ${seq} is missing at the end.` : `Entries ${seq} to ${to} are missing at the end.`,
  noted: ({ seq }) => `Entry ${seq} says that entries before it were changed or missing.`,
};

function Report({ result: { total, issue, unknownKey, isAnchored } }: { readonly result: Result }) {
  const count = `${formatNumber(total)} ${total === 1 ? 'entry is as it was' : 'entries are as they were'} signed`;
  if (issue !== undefined) {
    return (
      <Alert color="red" variant="outline" role="alert" title="The audit log is not whole">
        <Text>{ISSUES[issue.kind](issue)}</Text>
        <Text>{count}, up to there; what follows was not looked at.</Text>
      </Alert>
    );
  }
  if (unknownKey !== undefined) {
    return (
      <Alert color="yellow" variant="outline" role="alert" title="Not all of it can be verified">
        <Text>
          Entry {unknownKey.seq} was signed with the key {unknownKey.id}, which this server does not have.{' '}
          {count}, up to there.
        </Text>
      </Alert>
    );
  }
  return (
    <Alert color="green" variant="outline" role="status" title="The audit log is whole">
      <Text>{count}, and none is missing.</Text>
      {!isAnchored && (
        <Text>
          Whether some are missing at the end is not known: nothing outside of the database says how many
          there were.
        </Text>
      )}
    </Alert>
  );
}
