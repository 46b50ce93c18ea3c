// The server: its database, versions, memory and machine.
import { Alert, Stack, Title } from '@mantine/core';
import type { Status } from '../../api/types-status.ts';
import { Facts } from '../../parts/facts.tsx';
import { formatBytes } from '../../parts/time.tsx';

interface ServerStatusProps {
  readonly status: Status;
  /** Undefined: not known yet. */
  readonly isDatabaseThere: boolean | undefined;
}

const DATABASE_TEXTS = {
  true: 'it answers',
  false: 'it does not answer',
  undefined: 'not known yet',
} as const;

export function ServerStatus({ status, isDatabaseThere }: ServerStatusProps) {
  const { service, process, memory, system, leakedFiles } = status;
  return (
    <Stack gap="xs">
      <Title order={2}>Server</Title>
      {isDatabaseThere === false && (
        <Alert color="red" variant="outline" title="The database is away" role="alert">
          Requests for documents are answered with 503 until it is back.
        </Alert>
      )}
      <Facts
        facts={[
          ['Database', DATABASE_TEXTS[`${isDatabaseThere}`]],
          ['Version', `Cloister ${service.versions.current}`],
          ['Node', `${process.versions.node} (V8 ${process.versions.v8})`],
          ['Process', `${process.pid}, up for ${process.uptimeFormatted}`],
          ['Memory of the process', formatBytes(memory.rss)],
          ['JavaScript memory', `${formatBytes(memory.heapUsed)} of ${formatBytes(memory.heapTotal)}`],
          [
            'Machine',
            `${system.hostname}, ${system.platform} ${system.release}, up for ${system.uptimeFormatted}`,
          ],
          [
            'Memory of the machine',
            `${formatBytes(system.memory.free)} free of ${formatBytes(system.memory.total)}`,
          ],
          ['Load (1, 5, 15 minutes)', system.load.map((value) => value.toFixed(2)).join(', ')],
          ...(leakedFiles === undefined
            ? []
            : [
                [
                  'Files that were never closed',
                  leakedFiles === 0 ? 'none' : `${leakedFiles}: a defect, please report it`,
                ] as const,
              ]),
        ]}
      />
    </Stack>
  );
}
