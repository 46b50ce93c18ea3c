// One document: its fields in a form, what the server knows of it, and its end.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { useApi, useMe } from '../../../api/api-context.tsx';
import { ApiError } from '../../../api/api-error.ts';
import type { CollectionDescription, StoredDocument } from '../../../api/types-collections.ts';
import { useDialogs } from '../../../parts/dialogs.tsx';
import { ErrorMessage, otherErrors } from '../../../parts/error-message.tsx';
import { Answer, Empty } from '../../../parts/loading.tsx';
import { useToasts } from '../../../parts/toasts.tsx';
import { useLeave } from '../../../shell/leaving/leave-question.tsx';
import { useUnsaved } from '../../../shell/leaving/unsaved-changes.ts';
import { View } from '../../../shell/view.tsx';
import { type CollectionAddress, collectionPath } from '../address.ts';
import { documentKey, useCollection, useDocument, useDocumentWrites } from '../collection-queries.ts';
import { type Changes, hasChanges, problemsIn, updateBody } from '../fields/changes.ts';
import { DocumentFields } from '../fields/document-fields.tsx';
import { fieldsOf, titleField } from '../fields/field.ts';
import { titleOf } from '../fields/value-text.ts';
import { findDifferences } from './document-differences.ts';
import { DocumentFacts } from './document-facts.tsx';
import { fieldMessages, focusFirstError, shownFields } from './form-errors.ts';
import { findReferrers } from './referrers.ts';

interface DocumentViewProps {
  readonly address: CollectionAddress;
  readonly id: string;
}

export function DocumentView({ address, id }: DocumentViewProps) {
  const path = collectionPath(address);
  const collection = useCollection(path);
  const document = useDocument(path, id);
  const name = collection.data?.name ?? address.name;
  const trail = [
    { name: 'Collections', href: '/' },
    { name, href: path },
  ];
  const hasRevisions =
    collection.data?.settings.storeRevisions === true && collection.data.actions.includes('history');
  const revisions = `${path}/${encodeURIComponent(id)}/revisions`;
  const title =
    collection.data && document.data ? titleOf(document.data, titleField(fieldsOf(collection.data))) : id;
  return (
    <View
      title={title}
      trail={trail}
      actions={
        hasRevisions && (
          <Button component={Link} href={revisions} variant="default">
            Revisions
          </Button>
        )
      }
    >
      <Answer query={collection} what={`the collection ${address.name}`}>
        {(known) => (
          <Answer query={document} what="the document">
            {(stored) =>
              stored === null ? (
                <Empty text="There is no such document, or you may not see it.">
                  {hasRevisions && (
                    <Anchor component={Link} href={revisions}>
                      If it was deleted, its revisions may be here
                    </Anchor>
                  )}
                </Empty>
              ) : (
                <DocumentForm path={path} collection={known} stored={stored} title={title} />
              )
            }
          </Answer>
        )}
      </Answer>
    </View>
  );
}

interface DocumentFormProps {
  readonly path: string;
  readonly collection: CollectionDescription;
  readonly stored: StoredDocument;
  readonly title: string;
}

export function DocumentForm({ path, collection, stored, title }: DocumentFormProps) {
  const { _id: id } = stored;
  const api = useApi();
  const v = typeof stored['v'] === 'number' ? stored['v'] : 0;
  const queries = useQueryClient();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const { update } = useDocumentWrites(path);
  const [changes, setChanges] = useState<Changes>({});
  const fields = fieldsOf(collection);
  const mayUpdate = collection.actions.includes('update');
  useUnsaved('what you changed in the document', hasChanges(fields, changes, stored));
  const conflict = update.error instanceof ApiError && update.error.isConflict;
  const other = conflict ? undefined : otherErrors(update.error, shownFields(fields));
  const reload = async () => {
    update.reset();
    setChanges({});
    await queries.refetchQueries({ queryKey: documentKey(path, id) });
  };
  const save = async (form: HTMLElement, state: number | undefined): Promise<void> => {
    const body = updateBody(fields, changes, stored);
    if (body === undefined) return toasts.say('Nothing was changed.');
    try {
      await update.mutateAsync({ id, body, ...(state !== undefined && { v: state }) });
      setChanges({});
      toasts.say('The document was saved.');
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isConflict || state === undefined)
        return focusFirstError(form);
      const found = await findDifferences(api, { path, collection, stored, changes });
      const choice = await dialogs.conflict({
        what: 'This document',
        message: '"Keep mine" writes only the fields that you changed.',
        ...found,
      });
      if (choice === 'reload') await reload();
      if (choice === 'overwrite') await save(form, undefined);
    }
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (problemsIn(changes).size > 0) focusFirstError(form);
    else void save(form, v);
  };
  return (
    <Stack>
      <form onSubmit={submit} noValidate>
        <Stack>
          {other !== undefined && <ErrorMessage error={other} />}
          {!mayUpdate && <Text>You may read this document, and not change it.</Text>}
          <DocumentFields
            fields={fields}
            stored={stored}
            changes={changes}
            errors={fieldMessages(update.error)}
            isReadOnly={!mayUpdate}
            onChange={(name, change) => setChanges((before) => ({ ...before, [name]: change }))}
          />
          <Group>
            {mayUpdate && (
              <Button type="submit" loading={update.isPending}>
                Save
              </Button>
            )}
            {collection.actions.includes('delete') && (
              <DeleteButton path={path} collection={collection} stored={stored} v={v} title={title} />
            )}
          </Group>
        </Stack>
      </form>
      <DocumentFacts document={stored} />
    </Stack>
  );
}

interface DeleteButtonProps {
  readonly path: string;
  readonly collection: CollectionDescription;
  readonly stored: StoredDocument;
  readonly v: number;
  readonly title: string;
}

function DeleteButton({ path, collection, stored, v, title }: DeleteButtonProps) {
  const { _id: id } = stored;
  const api = useApi();
  const me = useMe();
  const queries = useQueryClient();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const leave = useLeave();
  const [isAsking, setAsking] = useState(false);
  const { remove } = useDocumentWrites(path);
  const end = async (state: number | undefined): Promise<void> => {
    try {
      await remove.mutateAsync({ id, ...(state !== undefined && { v: state }) });
      toasts.say(`${title} was deleted.`);
      leave(path);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || state === undefined)
        return toasts.fail(error);
      const found = await findDifferences(api, { path, collection, stored, changes: {} });
      const choice = await dialogs.conflict({ what: 'This document', ...found });
      if (choice === 'reload') await queries.refetchQueries({ queryKey: documentKey(path, id) });
      if (choice === 'overwrite') await end(undefined);
    }
  };
  const ask = async () => {
    setAsking(true);
    const referrers = await findReferrers(api, me, path, id).finally(() => setAsking(false));
    const isSure = await dialogs.confirm({
      title: `Delete ${title}?`,
      gone: [
        `the document ${title}`,
        ...(collection.isMedia ? ['its file'] : []),
        ...referrers.map(
          ({ name, field, count }) =>
            `what ${count} ${count === 1 ? 'document' : 'documents'} of ${name} ${count === 1 ? 'refers' : 'refer'} to in "${field}"`,
        ),
      ],
      note:
        collection.settings.storeRevisions && !collection.isMedia
          ? 'Its revisions stay: it can be restored from them.'
          : 'It cannot be brought back.',
      action: 'Delete',
    });
    if (isSure) await end(v);
  };
  return (
    <Button color="red" variant="outline" loading={isAsking || remove.isPending} onClick={() => void ask()}>
      Delete
    </Button>
  );
}
