// The specification of a collection: changed in an editor, or removed. What a change does to documents is said before it is made.
import { Alert, Button, Group, List, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Tagged } from '../../../api/api.ts';
import { useApi } from '../../../api/api-context.tsx';
import { ApiError } from '../../../api/api-error.ts';
import type { JsonObject } from '../../../api/types.ts';
import type { DocumentPage } from '../../../api/types-collections.ts';
import { useDialogs, WRITES_ALL } from '../../../parts/dialogs.tsx';
import { differencesOf } from '../../../parts/differences.ts';
import { ErrorMessage } from '../../../parts/error-message.tsx';
import { Answer } from '../../../parts/loading.tsx';
import { formatNumber } from '../../../parts/time.tsx';
import { useToasts } from '../../../parts/toasts.tsx';
import { useLeave } from '../../../shell/leaving/leave-question.tsx';
import { useUnsaved } from '../../../shell/leaving/unsaved-changes.ts';
import { View } from '../../../shell/view.tsx';
import { type CollectionAddress, collectionPath } from '../address.ts';
import { parseJson } from '../fields/json-text.ts';
import { affectedDocuments } from './affected-documents.ts';
import { describeChanges } from './changes-in-words.ts';
import { placeErrors } from './check-text.ts';
import { formatSpecification } from './format-specification.ts';
import { SpecificationEditor } from './specification-editor.tsx';
import { useSpecification, useSpecificationWrites } from './specification-queries.ts';

export function SpecificationView({ address }: { readonly address: CollectionAddress }) {
  const path = collectionPath(address);
  const query = useSpecification(path);
  const trail = [
    { name: 'Collections', href: '/' },
    { name: address.name, href: path },
  ];
  return (
    <View title={`Specification of ${address.name}`} trail={trail}>
      <Answer query={query} what="the specification">
        {(specification) => <Editor path={path} address={address} specification={specification} />}
      </Answer>
    </View>
  );
}

interface EditorProps {
  readonly path: string;
  readonly address: CollectionAddress;
  readonly specification: JsonObject;
}

/** Another collection needs what this one has. */
const isNeeded = (error: unknown) => error instanceof ApiError && error.status === 409;

function Editor({ path, address, specification }: EditorProps) {
  const api = useApi();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { present, save, take } = useSpecificationWrites();
  const [draft, setDraft] = useState<string>();
  const [sent, setSent] = useState('');
  const [isAsking, setAsking] = useState(false);
  const stored = formatSpecification(specification);
  const text = draft ?? stored;
  useUnsaved('what you changed in the specification', text !== stored);
  const error = save.error;
  const problems = error instanceof ApiError && text === sent ? placeErrors(text, error.items) : [];

  // The editor tells also of a text that it was given, so the stored one is no draft.
  const adopt = (value: JsonObject) => {
    take(path, value);
    setDraft(undefined);
  };
  /** `now`: what is replaced, where it is known. */
  const send = async (now: Tagged<JsonObject> | null, force?: true): Promise<void> => {
    setSent(text);
    try {
      await save.mutateAsync({ path, text, etag: now?.etag, ...(force && { force }) });
      const value = await present(path);
      if (value !== null) adopt(value.body);
      toasts.say('The specification was saved.');
    } catch (failed) {
      // Somebody was faster since the look before: what is there now is asked about.
      if (now !== null && failed instanceof ApiError && failed.status === 412) return ask(now.body);
      if (!isNeeded(failed) || force) return;
      const isSure = await dialogs.confirm({
        title: 'Break another collection?',
        gone: (failed as ApiError).items.map(({ message }) => message),
        note: 'Reads of that collection will fail until its specification is mended.',
        action: 'Save anyway',
      });
      if (isSure) await send(now, true);
    }
  };
  /** `seen`: what was shown last of what is stored. */
  const ask = async (seen = specification): Promise<void> => {
    const result = parseJson(text);
    // The server says what is wrong.
    if ('problem' in result) return send(null);
    const changes = describeChanges(specification, result.value);
    const now = await present(path);
    if (now !== null && JSON.stringify(now.body) !== JSON.stringify(seen)) {
      const differences = differencesOf({ base: specification, theirs: now.body, mine: result.value });
      const what = 'This specification';
      const choice = await dialogs.conflict({ what, message: WRITES_ALL, differences });
      if (choice === 'reload') adopt(now.body);
      if (choice !== 'overwrite') return;
    }
    const affected = await affectedDocuments(api, path, changes);
    if (changes.losses.length > 0 || affected.length > 0) {
      const isSure = await dialogs.confirm({
        title: `Save the specification of ${address.name}?`,
        gone: changes.losses,
        ...(affected.length > 0 && { note: `${affected.join('. ')}.` }),
        action: 'Save',
      });
      if (!isSure) return;
    }
    await send(now);
  };
  const submit = async () => {
    setAsking(true);
    try {
      await ask();
    } catch (failed) {
      toasts.fail(failed);
    } finally {
      setAsking(false);
    }
  };
  return (
    <Stack>
      {error !== null && <ErrorMessage error={error} />}
      <Warnings warnings={save.data?.warnings ?? []} />
      <SpecificationEditor
        version={address.version}
        database={address.database}
        text={text}
        before={specification}
        problems={problems}
        onChange={(next) => setDraft(next === stored ? undefined : next)}
      />
      <Group>
        <Button loading={isAsking} onClick={() => void submit()}>
          Save
        </Button>
        <DeleteButton path={path} name={address.name} />
      </Group>
    </Stack>
  );
}

/** What the server has said of a specification that it took. */
function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert title="Saved, with warnings" variant="outline" role="status">
      <List size="sm">
        {[...new Set(warnings)].map((warning) => (
          <List.Item key={warning} className="wrap">
            {warning}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function DeleteButton({ path, name }: { readonly path: string; readonly name: string }) {
  const api = useApi();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const leave = useLeave();
  const { remove } = useSpecificationWrites();
  const end = async (force?: true): Promise<void> => {
    try {
      const { warnings = [] } = await remove.mutateAsync({ path, ...(force && { force }) });
      toasts.say(`The collection ${name} was deleted.`);
      for (const warning of new Set(warnings)) toasts.warn(`A warning: ${warning}.`);
      leave('/');
    } catch (failed) {
      if (!isNeeded(failed) || force) return toasts.fail(failed);
      const isSure = await dialogs.confirm({
        title: 'Break another collection?',
        gone: (failed as ApiError).items.map(({ message }) => message),
        action: 'Delete anyway',
      });
      if (isSure) await end(true);
    }
  };
  const ask = async () => {
    const counted = await api
      .get<Pick<DocumentPage, 'metadata'>>(`${path}/count`)
      .then(({ metadata }) => `the way to its ${formatNumber(metadata.totalCount)} documents`)
      .catch(() => 'the way to its documents');
    const isSure = await dialogs.confirm({
      title: `Delete the collection ${name}?`,
      gone: [`the address ${path}`, counted, 'its specification and its indexes'],
      note: 'The documents stay in the database, and are back when a specification is saved at this address again.',
      action: 'Delete',
    });
    if (isSure) await end();
  };
  return (
    <Button color="red" variant="outline" loading={remove.isPending} onClick={() => void ask()}>
      Delete
    </Button>
  );
}
