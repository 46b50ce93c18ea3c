// What is shown while there is nothing to show: while the server is asked, and where it has nothing.
import { Group, Loader, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
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
}

interface AnswerProps<T> {
  /** The result of `useQuery`. */
  readonly query: Asked<T>;
  readonly what: string;
  readonly children: (data: T) => ReactNode;
}

/** What a query has got: its data, the error with a way to try again, or that it is under way. */
export function Answer<T>({ query, what, children }: AnswerProps<T>) {
  const { data, error, refetch } = query;
  return (
    <>
      {error !== null && error !== undefined && <ErrorMessage error={error} retry={() => void refetch()} />}
      {data === undefined ? !error && <Loading what={what} /> : children(data)}
    </>
  );
}
