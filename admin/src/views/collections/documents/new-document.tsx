// Makes a document: as a view, and as a dialog for the references of another one.
import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { CollectionDescription, StoredDocument } from '../../../api/types-collections.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorMessage, otherErrors } from '../../../parts/error-message.tsx';
import { Answer, Empty } from '../../../parts/loading.tsx';
import { useToasts } from '../../../parts/toasts.tsx';
import { useLeave } from '../../../shell/leaving/leave-question.tsx';
import { useUnsaved, useUnsavedChanges } from '../../../shell/leaving/unsaved-changes.ts';
import { View } from '../../../shell/view.tsx';
import { type CollectionAddress, collectionPath } from '../address.ts';
import { useCollection, useDocumentWrites } from '../collection-queries.ts';
import { type Changes, defaultsOf, hasChanges, newBody, problemsIn } from '../fields/changes.ts';
import { DocumentFields } from '../fields/document-fields.tsx';
import { fieldsOf } from '../fields/field.ts';
import type { NewDocumentDialogProps } from '../fields/new-document-context.ts';
import { fieldMessages, focusFirstError, shownFields } from './form-errors.ts';
import { NewFileForm } from './new-file.tsx';

interface NewDocumentFormProps {
  readonly collection: CollectionDescription;
  readonly onMade: (document: StoredDocument) => void;
  /** Stands for the form among the unsaved changes. */
  readonly form?: object;
}

function NewDocumentForm({ collection, onMade, form }: NewDocumentFormProps) {
  const { create } = useDocumentWrites(collection.path);
  const [changes, setChanges] = useState<Changes>({});
  const fields = fieldsOf(collection);
  const defaults = defaultsOf(fields);
  const other = otherErrors(create.error, shownFields(fields));
  useUnsaved(`the new document of ${collection.path}`, hasChanges(fields, changes, defaults), form);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A dialog stands outside of the form only on the screen.
    event.stopPropagation();
    const { currentTarget } = event;
    if (problemsIn(changes).size > 0) return focusFirstError(currentTarget);
    return create.mutate(newBody(fields, changes, defaults), {
      onSuccess: ({ results: [document] }) => document !== undefined && onMade(document),
      onError: () => focusFirstError(currentTarget),
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {other !== undefined && <ErrorMessage error={other} />}
        <DocumentFields
          fields={fields}
          stored={defaults}
          changes={changes}
          errors={fieldMessages(create.error)}
          isReadOnly={false}
          onChange={(name, change) => setChanges((before) => ({ ...before, [name]: change }))}
        />
        <Group>
          <Button type="submit" loading={create.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** In a dialog, for a reference: of a file with its upload. */
export function NewDocumentDialog({ path, onMade, onClose }: NewDocumentDialogProps) {
  const query = useCollection(path);
  const unsaved = useUnsavedChanges();
  const [form] = useState({});
  const close = async () => {
    if (await unsaved.mayLeave(form)) onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={() => void close()}
      size="lg"
      title={`${query.data?.isMedia === true ? 'Upload to' : 'New in'} ${query.data?.name ?? path}`}
    >
      <Answer query={query} what="the collection">
        {(collection) => {
          const Form = collection.isMedia ? NewFileForm : NewDocumentForm;
          return <Form collection={collection} onMade={onMade} form={form} />;
        }}
      </Answer>
    </Dialog>
  );
}

export function NewDocument({ address }: { readonly address: CollectionAddress }) {
  const path = collectionPath(address);
  const query = useCollection(path);
  const toasts = useToasts();
  const leave = useLeave();
  const name = query.data?.name ?? address.name;
  const trail = [
    { name: 'Collections', href: '/' },
    { name, href: path },
  ];
  return (
    <View title={`New in ${name}`} trail={trail}>
      <Answer query={query} what={`the collection ${address.name}`}>
        {(collection) =>
          collection.isMedia || !collection.actions.includes('create') ? (
            <Empty
              text={
                collection.isMedia
                  ? 'Documents of this collection come with the upload of their files.'
                  : 'You may not create documents here.'
              }
            />
          ) : (
            <NewDocumentForm
              collection={collection}
              onMade={({ _id }) => {
                toasts.say('The document was created.');
                leave(collection.actions.includes('read') ? `${path}/${_id}` : path);
              }}
            />
          )
        }
      </Answer>
    </View>
  );
}
