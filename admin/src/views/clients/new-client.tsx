// Makes a client.
import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorMessage, fieldErrors, otherErrors } from '../../parts/error-message.tsx';
import { useToasts } from '../../parts/toasts.tsx';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { useUnsaved } from '../../shell/leaving/unsaved-changes.ts';
import { View } from '../../shell/view.tsx';
import { type ClientDraft, ClientFields } from './client-fields.tsx';
import { useClientWrites } from './client-queries.ts';
import { SecretDialog } from './secret-dialog.tsx';

const SHOWN = ['clientId', 'secret', 'accessType', 'roles', 'permissions'];
const NO_RIGHTS: ClientDraft = { accessType: 'user', roles: [], permissions: null };

const isSame = (a: ClientDraft, b: ClientDraft) => JSON.stringify(a) === JSON.stringify(b);

export function NewClient() {
  const leave = useLeave();
  const toasts = useToasts();
  const { create } = useClientWrites();
  const [clientId, setClientId] = useState('');
  const [secret, setSecret] = useState('');
  const [draft, setDraft] = useState(NO_RIGHTS);
  const [generated, setGenerated] = useState<string>();
  useUnsaved('the new client', clientId !== '' || secret !== '' || !isSame(draft, NO_RIGHTS));
  const errors = fieldErrors(create.error);
  const other = otherErrors(create.error, SHOWN);
  const finish = () => {
    toasts.say(`The client ${clientId} was created.`);
    leave(`/${encodeURIComponent(clientId)}`);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { clientId, ...draft, ...(secret !== '' && { secret }) },
      {
        onSuccess: ({ results: [created] }) => {
          if (created?.secret === undefined) finish();
          else setGenerated(created.secret);
        },
      },
    );
  };
  return (
    <View title="New client" trail={[{ name: 'Clients', href: '/' }]}>
      <form onSubmit={submit}>
        <Stack maw="48rem">
          {other !== undefined && <ErrorMessage error={other} />}
          <TextInput
            label="Client ID"
            description="Letters, digits and _ . @ : + ~ -"
            required
            autoComplete="off"
            value={clientId}
            error={errors.get('clientId')}
            onChange={(event) => setClientId(event.currentTarget.value)}
          />
          <PasswordInput
            label="Secret"
            description="8 characters or more. Left empty, the server makes one and shows it once."
            autoComplete="new-password"
            value={secret}
            error={errors.get('secret')}
            onChange={(event) => setSecret(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed', tabIndex: 0 }}
          />
          <ClientFields
            draft={draft}
            errors={errors}
            onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
          />
          <Group>
            <Button type="submit" loading={create.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
      <SecretDialog clientId={clientId} secret={generated} onClose={finish} />
    </View>
  );
}
