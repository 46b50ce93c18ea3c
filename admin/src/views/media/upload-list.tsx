// What has become of each file that was uploaded.
import { Anchor, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { ErrorMessage } from '../../parts/error-message.tsx';
import type { FormFields } from '../../parts/files/send-file.ts';
import { formatBytes } from '../../parts/time.tsx';
import type { Upload, UploadQueue, UploadState } from './upload-queue.ts';

const WORDS: Readonly<Record<UploadState, string>> = {
  waiting: 'waits for its turn',
  sending: 'is being sent',
  stored: 'is stored',
  failed: 'is not stored',
  stopped: 'was stopped and is not stored',
};

interface UploadListProps {
  /** Of the collection. */
  readonly path: string;
  readonly uploads: readonly Upload[];
  readonly queue: UploadQueue;
  /** As the form has them now: they go with a file that is sent again. */
  readonly fields: FormFields;
}

export function UploadList({ path, uploads, queue, fields }: UploadListProps) {
  if (uploads.length === 0) return null;
  const count = (...states: readonly UploadState[]) =>
    uploads.filter(({ state }) => states.includes(state)).length;
  const open = count('waiting', 'sending');
  const failed = count('failed', 'stopped');
  return (
    <Stack component="section" aria-label="Uploads">
      <Title order={2} size="h4">
        Uploads
      </Title>
      <Text role="status">
        {count('stored')} of {uploads.length} stored
        {failed > 0 && `, ${failed} not`}
        {open > 0 && `, ${open} under way. Leaving this view stops them.`}
      </Text>
      {uploads.map((upload) => (
        <Row
          key={upload.id}
          path={path}
          upload={upload}
          onStop={() => queue.stop(upload.id)}
          onRetry={() => queue.retry(upload.id, fields)}
        />
      ))}
    </Stack>
  );
}

interface RowProps {
  readonly path: string;
  readonly upload: Upload;
  readonly onStop: () => void;
  readonly onRetry: () => void;
}

function Row({ path, upload, onStop, onRetry }: RowProps) {
  const { file, state, part, record, error } = upload;
  const percent = Math.floor(part * 100);
  const isOpen = state === 'waiting' || state === 'sending';
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <Text className="wrap">
            {record === undefined ? (
              file.name
            ) : (
              <Anchor component={Link} href={`${path}/${encodeURIComponent(record._id)}`}>
                {String(record['fileName'])}
              </Anchor>
            )}{' '}
            {WORDS[state]}
            {state === 'sending' && `: ${percent} % of ${formatBytes(file.size)}`}
          </Text>
          {isOpen && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={onStop}
              aria-label={`Stop sending ${file.name}`}
            >
              Stop
            </Button>
          )}
          {(state === 'failed' || state === 'stopped') && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={onRetry}
              aria-label={`Try again to send ${file.name}`}
            >
              Try again
            </Button>
          )}
        </Group>
        {isOpen && <Progress value={percent} aria-label={`Progress of ${file.name}`} />}
        {state === 'failed' && <ErrorMessage error={error} />}
      </Stack>
    </Paper>
  );
}
