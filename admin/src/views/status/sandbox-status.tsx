// The sandbox: how well posted code is isolated, what the machine lacks for more, what the self-test tried.
import { Alert, List, Stack, Text, Title } from '@mantine/core';
import type { SelfTest, SelfTestItem, Status } from '../../api/types-status.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Ago, formatBytes } from '../../parts/time.tsx';

const MAX_LEVEL = 3;

const STATES: Readonly<Record<SelfTest['state'], string>> = {
  'not-run': 'has not run yet',
  running: 'runs now',
  passed: 'passed: every attempt to break out was stopped',
  failed: 'failed: an attempt to break out was not stopped',
};

type Process = NonNullable<Status['sandbox']>['processes'][number];

const PROCESS_STATES: Readonly<Record<Process['state'], string>> = {
  starting: 'starts',
  spare: 'spare: has run nothing yet',
  idle: 'has nothing to do',
  busy: 'at work',
};

const PROCESS_COLUMNS: readonly Column<Process & { readonly name: string }>[] = [
  { label: 'Process', isName: true, cell: ({ name }) => name },
  { label: 'State', cell: ({ state }) => PROCESS_STATES[state] },
  { label: 'Memory', cell: ({ memory }) => (memory === null ? 'not known' : formatBytes(memory)) },
  { label: 'Since', cell: ({ uptime }) => <Ago seconds={uptime} /> },
];

const COLUMNS: readonly Column<SelfTestItem>[] = [
  { label: 'Attempt', isName: true, cell: ({ attempt }) => attempt },
  { label: 'Result', cell: ({ held }) => (held ? 'stopped' : 'not stopped') },
  { label: 'What happened', cell: ({ detail }) => detail },
];

export function SandboxStatus({ sandbox }: { readonly sandbox: NonNullable<Status['sandbox']> }) {
  const { level, missing, selfTest, hosts, processes, jit } = sandbox;
  const named = processes.map((one, at) => ({
    ...one,
    name: `${at + 1}${one.jit ? ', with the just-in-time compiler' : ''}`,
  }));
  return (
    <Stack gap="xs">
      <Title order={2}>Sandbox</Title>
      {selfTest.state === 'failed' && (
        <Alert color="red" variant="outline" title="The isolation does not hold" role="alert">
          An attempt of the self-test to break out was not stopped. The table below says which.
        </Alert>
      )}
      <Facts
        facts={[
          ['Isolation level', `${level} of ${MAX_LEVEL}`],
          ['Missing for the next level', <Missing key="missing" texts={missing} level={level} />],
          ['Self-test', STATES[selfTest.state]],
          [
            'Processes',
            `${hosts.running} running (${hosts.busy} at work, ${hosts.spare} spare), at most ${hosts.max}`,
          ],
          ...(jit === undefined
            ? []
            : [
                [
                  'With the just-in-time compiler',
                  `isolation level ${jit.level}; the self-test ${STATES[jit.selfTest.state]}`,
                ] as const,
              ]),
        ]}
      />
      {named.length > 0 && (
        <>
          <Title order={3}>Processes for posted code</Title>
          <DataTable
            caption="Processes for posted code"
            columns={PROCESS_COLUMNS}
            rows={named}
            keyOf={({ name }) => name}
          />
        </>
      )}
      {selfTest.items.length > 0 && (
        <>
          <Title order={3}>What the self-test tried</Title>
          <Text size="sm">Code with the rights of posted code tried each of these.</Text>
          <DataTable
            caption="Attempts of the self-test"
            columns={COLUMNS}
            rows={selfTest.items}
            keyOf={({ attempt }) => attempt}
          />
        </>
      )}
    </Stack>
  );
}

function Missing({ texts, level }: { readonly texts: readonly string[]; readonly level: number }) {
  if (level === MAX_LEVEL) return 'nothing: this is the highest';
  if (texts.length === 0) return 'not known until the self-test has run';
  return (
    <List>
      {texts.map((text) => (
        <List.Item key={text}>{text}</List.Item>
      ))}
    </List>
  );
}
