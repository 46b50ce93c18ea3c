// Two policies in words: what is different side by side, and once what both say.
import { Grid, Stack, Text, Title } from '@mantine/core';
import type { Policy } from './policy.ts';
import { Kinds, PolicyWords, Sentences } from './policy-words.tsx';
import { wordsOf } from './words.ts';

interface PolicyComparisonProps {
  readonly before: Policy;
  readonly next: Policy;
}

export function PolicyComparison({ before, next }: PolicyComparisonProps) {
  const then = new Map(wordsOf(before));
  const isSame = (kind: string, sentences: readonly string[]) =>
    JSON.stringify(then.get(kind)) === JSON.stringify(sentences);
  const all = wordsOf(next);
  const same = all.filter(([kind, sentences]) => isSame(kind, sentences));
  const other = all.filter(([kind, sentences]) => !isSame(kind, sentences));
  if (other.length === 0) {
    return (
      <>
        <Text>The policy says what the one in force says.</Text>
        <details>
          <summary>All that the code may</summary>
          <PolicyWords policy={next} />
        </details>
      </>
    );
  }
  return (
    <Stack gap="xs">
      {other.map(([kind, sentences]) => (
        <div key={kind}>
          <Title order={3} size="h5">
            {kind}
          </Title>
          <Grid>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Text fw={700}>In force</Text>
              <Sentences sentences={then.get(kind) ?? []} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Text fw={700}>Waiting</Text>
              <Sentences sentences={sentences} />
            </Grid.Col>
          </Grid>
        </div>
      ))}
      {same.length > 0 && <Text fw={700}>As before</Text>}
      <Kinds kinds={same} />
    </Stack>
  );
}
