// Asks a reviewer why a version is refused, and says what a refusal does.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorMessage, fieldErrors, otherErrors } from '../../parts/error-message.tsx';
import { useUnsaved } from '../../shell/leaving/unsaved-changes.ts';

interface RefuseDialogProps {
  /** `version 2 of 1.0/report` */
  readonly what: string;
  readonly isOpen: boolean;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onClose: () => void;
  readonly onRefuse: (reason: string) => void;
}

export function RefuseDialog({ what, isOpen, isBusy, error, onClose, onRefuse }: RefuseDialogProps) {
  const [reason, setReason] = useState('');
  useUnsaved('the reason of a refusal', reason !== '');
  const other = otherErrors(error, ['reason']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRefuse(reason);
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Refuse ${what}?`}>
      <form onSubmit={submit}>
        <Stack>
          {other !== undefined && <ErrorMessage error={other} />}
          <Text>
            It waits no more and never comes into force, by a roll back either. What is in force goes on. This
            cannot be taken back: its author has to post a new version. The audit log names you.
          </Text>
          <Textarea
            label="Reason"
            description="What the author has to put right; shown to admins and reviewers. At most 1,000 characters"
            required
            autosize
            minRows={3}
            maxRows={12}
            data-autofocus
            value={reason}
            error={fieldErrors(error).get('reason')}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={isBusy}>
              Refuse
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
