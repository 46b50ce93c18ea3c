// Uploads a file to which a reference is to lead, with its fields.
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { CollectionDescription, StoredDocument } from '../../../api/types-collections.ts';
import { ErrorMessage, otherErrors } from '../../../parts/error-message.tsx';
import { useSendFile } from '../../../parts/files/send-file.ts';
import { useUnsaved } from '../../../shell/leaving/unsaved-changes.ts';
import { type Changes, defaultsOf, problemsIn } from '../fields/changes.ts';
import { DocumentFields } from '../fields/document-fields.tsx';
import { fieldsOf } from '../fields/field.ts';
import { formFields } from '../fields/form-fields.ts';
import { fieldMessages, focusFirstError, shownFields } from './form-errors.ts';

interface NewFileFormProps {
  readonly collection: CollectionDescription;
  readonly onMade: (record: StoredDocument) => void;
  /** Stands for the form among the unsaved changes. */
  readonly form: object;
}

export function NewFileForm({ collection, onMade, form }: NewFileFormProps) {
  const queries = useQueryClient();
  const send = useSendFile(collection.path, collection.settings.signUploads);
  const [file, setFile] = useState<File>();
  const [changes, setChanges] = useState<Changes>({});
  const fields = fieldsOf(collection).filter(({ isInForms, isClosed }) => isInForms && !isClosed);
  const upload = useMutation({
    mutationFn: (chosen: File) => send(chosen, formFields(fields, changes)),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['documents', collection.path] }),
  });
  useUnsaved('a file that is not sent yet', file !== undefined, form);
  const other = otherErrors(upload.error, shownFields(fields));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A dialog stands outside of the form only on the screen.
    event.stopPropagation();
    const { currentTarget } = event;
    if (file === undefined) return;
    if (problemsIn(changes).size > 0) return focusFirstError(currentTarget);
    upload.mutate(file, {
      onSuccess: (record) => record !== undefined && onMade(record),
      onError: () => focusFirstError(currentTarget),
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {other !== undefined && <ErrorMessage error={other} />}
        <TextInput
          label="File"
          type="file"
          required
          data-autofocus
          onChange={(event) => setFile(event.currentTarget.files?.[0])}
        />
        <DocumentFields
          fields={fields}
          stored={defaultsOf(fields)}
          changes={changes}
          errors={fieldMessages(upload.error)}
          isReadOnly={false}
          onChange={(name, change) => setChanges((before) => ({ ...before, [name]: change }))}
        />
        <Group>
          <Button type="submit" disabled={file === undefined} loading={upload.isPending}>
            Upload
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
