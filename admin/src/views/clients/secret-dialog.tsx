// A secret that the server has just made. It is shown once: nobody can read it later.
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';

interface SecretDialogProps {
  readonly clientId: string;
  /** Undefined: the dialog is closed. */
  readonly secret: string | undefined;
  readonly onClose: () => void;
}

export function SecretDialog({ clientId, secret, onClose }: SecretDialogProps) {
  const [isCopied, setCopied] = useState(false);
  // Browsers give the clipboard to pages over HTTPS and on the own machine alone.
  const copy =
    navigator.clipboard === undefined
      ? undefined
      : () =>
          navigator.clipboard.writeText(secret ?? '').then(
            () => setCopied(true),
            () => undefined,
          );
  return (
    <Dialog isOpen={secret !== undefined} onClose={onClose} title={`The secret of ${clientId}`} isStaying>
      <Stack>
        <Text>Keep it now: it is shown this once, and nobody can read it later.</Text>
        <Code block aria-label="Secret" className="wrap">
          {secret}
        </Code>
        <Group justify="flex-end">
          <span role="status">{isCopied ? 'Copied.' : ''}</span>
          {copy !== undefined && (
            <Button variant="default" onClick={() => void copy()}>
              Copy
            </Button>
          )}
          <Button onClick={onClose}>I have it</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
