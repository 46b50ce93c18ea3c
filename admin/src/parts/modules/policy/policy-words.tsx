// A policy in words, and what is new in it.
import { Alert, List, Stack, Text, Title } from '@mantine/core';
import { openingsOf } from './openings.ts';
import type { Policy } from './policy.ts';
import { wordsOf } from './words.ts';

export function Sentences({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <List>
      {sentences.map((sentence, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two grants may say the same
        <List.Item key={index} className="wrap">
          {sentence}
        </List.Item>
      ))}
    </List>
  );
}

export function PolicyWords({ policy }: { readonly policy: Policy }) {
  return (
    <Stack gap="xs">
      <Kinds kinds={wordsOf(policy)} />
    </Stack>
  );
}

/** Sentences under the title of their kind. */
export function Kinds({ kinds }: { readonly kinds: ReturnType<typeof wordsOf> }) {
  return kinds.map(([kind, sentences]) => (
    <div key={kind}>
      <Title order={3} size="h5">
        {kind}
      </Title>
      <Sentences sentences={sentences} />
    </div>
  ));
}

interface OpeningsProps {
  readonly policy: Policy;
  readonly before: Policy;
  /** Before this policy there was none in force. */
  readonly isFirst?: boolean;
}

/** What the code newly may do, and what it may do no longer. */
export function Openings({ policy, before, isFirst = false }: OpeningsProps) {
  const opened = openingsOf(policy, before);
  const closed = openingsOf(before, policy);
  return (
    <Alert
      variant="outline"
      color={opened.length > 0 ? 'red' : 'blue'}
      title={opened.length > 0 ? 'What the code newly may do' : 'The policy allows nothing new'}
    >
      {opened.length > 0 && <Sentences sentences={opened} />}
      {closed.length > 0 && (
        <>
          <Text fw={500} mt="xs">
            No longer, or less:
          </Text>
          <Sentences sentences={closed} />
        </>
      )}
      <Text size="sm" mt="xs">
        Compared with {isFirst ? 'a policy that grants nothing' : 'the policy in force'}.
      </Text>
    </Alert>
  );
}
