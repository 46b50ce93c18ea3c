// What is shown while there is nothing to show: while the server is asked, and where it has nothing.
import { Button, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { ErrorMessage } from './error-message.tsx';

/** `what`: "the collections". */
export function Loading({ what }: { readonly what: string }) {
  return (
    <Group role="status" gap="sm">
      <Loader size="sm" aria-hidden />
      <Text>Loading {what} …</Text>
    </Group>
  );
}

/** Milliseconds until a wait is worth a word: most are over by then. */
const PATIENCE_MS = 500;

interface WaitingProps {
  readonly what: string;
  readonly onCancel: () => void;
}

/** Says that something takes long, and ends it where that is wanted. */
function Waiting({ what, onCancel }: WaitingProps) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLong(true), PATIENCE_MS);
    return () => window.clearTimeout(timer);
  }, []);
  if (!isLong) return null;
  return (
    <Group>
      <Loading what={what} />
      <Button variant="default" size="compact-sm" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  );
}

interface EmptyProps {
  /** One sentence: what there is none of. */
  readonly text: string;
  /** What can be done about it: text, a link, a button. */
  readonly children?: ReactNode;
}

export function Empty({ text, children }: EmptyProps) {
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm" align="flex-start">
        <Text>{text}</Text>
        {children}
      </Stack>
    </Paper>
  );
}

interface Asked<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
  readonly fetchStatus?: 'fetching' | 'paused' | 'idle';
  /** What is shown is what was there before, until the answer is here. */
  readonly isPlaceholderData?: boolean;
  /** Ends the request. Without it nobody can. */
  readonly cancel?: () => void;
}

interface AnswerProps<T> {
  /** The result of `useQuery`. */
  readonly query: Asked<T>;
  readonly what: string;
  readonly children: (data: T) => ReactNode;
}

/** What a query that can be cancelled is doing, while what it was asked for is not here. */
function Progress<T>({ query, what }: Pick<AnswerProps<T>, 'query' | 'what'>) {
  const { data, error, refetch, cancel, fetchStatus, isPlaceholderData } = query;
  if (cancel === undefined || (data !== undefined && isPlaceholderData !== true)) return null;
  if (fetchStatus !== 'idle') return <Waiting what={what} onCancel={cancel} />;
  if (error !== null && error !== undefined) return null;
  return (
    <Group role="status">
      <Text>Cancelled{data !== undefined && ': this is what was here before'}.</Text>
      <Button variant="default" size="compact-sm" onClick={() => void refetch()}>
        Try again
      </Button>
    </Group>
  );
}

/** What a query has got: its data, the error with a way to try again, or that it is under way. */
export function Answer<T>({ query, what, children }: AnswerProps<T>) {
  const { data, error, refetch, cancel } = query;
  const hasNothing = data === undefined && !error;
  return (
    <>
      {error !== null && error !== undefined && <ErrorMessage error={error} retry={() => void refetch()} />}
      <Progress query={query} what={what} />
      {hasNothing && cancel === undefined && <Loading what={what} />}
      {data !== undefined && children(data)}
    </>
  );
}
