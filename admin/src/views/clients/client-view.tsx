// One client: what it may do, a new secret, and its end.
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Tagged } from '../../api/api.ts';
import { useMe } from '../../api/api-context.tsx';
import { isOutdated } from '../../api/api-error.ts';
import type { Client, JsonObject } from '../../api/types.ts';
import { useDialogs } from '../../parts/dialogs.tsx';
import { differencesOf } from '../../parts/differences.ts';
import { ErrorMessage, fieldErrors, otherErrors } from '../../parts/error-message.tsx';
import { Answer, Empty } from '../../parts/loading.tsx';
import { useToasts } from '../../parts/toasts.tsx';
import { useCurrentSession } from '../../session/session.ts';
import { useLeave } from '../../shell/leaving/leave-question.tsx';
import { useUnsaved } from '../../shell/leaving/unsaved-changes.ts';
import { View } from '../../shell/view.tsx';
import { ClientAccessSection } from './client-access.tsx';
import { type ClientDraft, ClientFields } from './client-fields.tsx';
import { useClient, useClientWrites } from './client-queries.ts';
import { SecretDialog } from './secret-dialog.tsx';

const TRAIL = [{ name: 'Clients', href: '/' }];
const SHOWN = ['accessType', 'roles', 'permissions'];

export function ClientView({ clientId }: { readonly clientId: string }) {
  const query = useClient(clientId);
  return (
    <View title={clientId} trail={TRAIL}>
      <Answer query={query} what={`the client ${clientId}`}>
        {(found) =>
          found === null ? <Empty text="There is no such client." /> : <ClientForm stored={found} />
        }
      </Answer>
    </View>
  );
}

function draftOf(client: Client): ClientDraft {
  const { accessType, roles = [], permissions = null } = client;
  return { accessType, roles, permissions };
}

const jsonOf = (draft: ClientDraft): JsonObject => JSON.parse(JSON.stringify(draft));

function ClientForm({ stored }: { readonly stored: Tagged<Client> }) {
  const { clientId, reviewer } = stored.body;
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { present, take, update } = useClientWrites();
  const [changes, setChanges] = useState<Partial<ClientDraft>>({});
  /** What the changes began with; undefined while there are none. */
  const [base, setBase] = useState<Tagged<Client>>();
  const begun = base ?? stored;
  const draft: ClientDraft = { ...draftOf(begun.body), ...changes };
  const error = isOutdated(update.error) ? undefined : update.error;
  const other = otherErrors(error, SHOWN);
  useUnsaved('what you changed in the client', JSON.stringify(draft) !== JSON.stringify(draftOf(begun.body)));
  const end = () => {
    setChanges({});
    setBase(undefined);
  };
  /** Somebody else has changed the client meanwhile. */
  const settle = async (): Promise<void> => {
    const now = await present(clientId);
    const differences = differencesOf({
      base: jsonOf(draftOf(begun.body)),
      theirs: now === null ? undefined : jsonOf(draftOf(now.body)),
      mine: jsonOf(draft),
    });
    const choice = await dialogs.conflict({
      what: `The client ${clientId}`,
      message: '"Keep mine" writes only what you changed.',
      differences,
    });
    if (choice === 'overwrite') await save(now?.etag);
    if (choice !== 'reload') return;
    take(clientId, now);
    end();
  };
  /** `etag`: of the state that is replaced. */
  const save = async (etag: string | undefined): Promise<void> => {
    try {
      await update.mutateAsync({ clientId, change: changes, etag });
      end();
      toasts.say(`The client ${clientId} was saved.`);
    } catch (thrown) {
      if (isOutdated(thrown)) await settle().catch(toasts.fail);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save(begun.etag);
  };
  return (
    <Stack maw="48rem">
      <form onSubmit={submit}>
        <Stack>
          {other !== undefined && <ErrorMessage error={other} />}
          {reviewer === true && (
            <Text>
              A reviewer: approves what others post. Only commands on the machine give and take this right.
            </Text>
          )}
          <ClientFields
            draft={draft}
            isReviewer={reviewer === true}
            errors={fieldErrors(error)}
            onChange={(change) => {
              setBase(begun);
              setChanges((before) => ({ ...before, ...change }));
            }}
          />
          <Group>
            <Button type="submit" loading={update.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
      <ClientActions client={stored.body} />
      <ClientAccessSection clientId={clientId} />
    </Stack>
  );
}

function ClientActions({ client: { clientId } }: { readonly client: Client }) {
  const me = useMe();
  const leave = useLeave();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const session = useCurrentSession();
  const { remove, renewSecret, signIn } = useClientWrites();
  const [secret, setSecret] = useState<string>();
  const isMe = me.clientId === clientId;
  const renew = async () => {
    const isSure = await dialogs.confirm({
      title: `Give ${clientId} a new secret?`,
      gone: ['its present secret', 'every token that it has: it must sign in again'],
      action: 'Make a new secret',
      ...(isMe && { note: 'This is you: this tab stays signed in, others do not.' }),
    });
    if (!isSure) return;
    try {
      const { results } = await renewSecret.mutateAsync(clientId);
      const next = results[0]?.secret;
      setSecret(next);
      // Before any other request: the token of this tab is no longer valid.
      if (isMe && next !== undefined) session.renew(await signIn({ clientId, secret: next }));
    } catch (error) {
      toasts.fail(error);
    }
  };
  const end = async () => {
    const isSure = await dialogs.confirm({
      title: `Delete the client ${clientId}?`,
      gone: ['its id, secret, roles and permissions', 'every token that it has'],
      note: `${isMe ? 'This is you: you will be signed out. ' : ''}Documents that it wrote stay.`,
      action: 'Delete',
    });
    if (!isSure) return;
    remove.mutate(clientId, {
      onSuccess: () => {
        toasts.say(`The client ${clientId} was deleted.`);
        leave('/');
      },
      onError: toasts.fail,
    });
  };
  return (
    <Group>
      <Button variant="default" onClick={() => void renew()} loading={renewSecret.isPending}>
        New secret
      </Button>
      <Button color="red" variant="outline" onClick={() => void end()} loading={remove.isPending}>
        Delete
      </Button>
      <SecretDialog clientId={clientId} secret={secret} onClose={() => setSecret(undefined)} />
    </Group>
  );
}
