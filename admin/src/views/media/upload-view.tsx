// Uploads files: chosen or dropped, several at once, each with its progress and its errors.
import { Button, Fieldset, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type FormEvent, useEffect, useState, useSyncExternalStore } from 'react';
import type { CollectionDescription } from '../../api/types-collections.ts';
import { useSendFile } from '../../parts/files/send-file.ts';
import { Answer, Empty } from '../../parts/loading.tsx';
import { formatBytes } from '../../parts/time.tsx';
import { useUnsaved } from '../../shell/leaving/unsaved-changes.ts';
import { View } from '../../shell/view.tsx';
import { type CollectionAddress, collectionPath } from '../collections/address.ts';
import { useCollection } from '../collections/collection-queries.ts';
import { type Changes, defaultsOf, problemsIn } from '../collections/fields/changes.ts';
import { DocumentFields } from '../collections/fields/document-fields.tsx';
import { fieldsOf } from '../collections/fields/field.ts';
import { formFields } from '../collections/fields/form-fields.ts';
import classes from './media.module.css';
import { UploadList } from './upload-list.tsx';
import { createUploadQueue, type UploadQueue } from './upload-queue.ts';

/** Files that are chosen at a time. */
const MAX_CHOSEN = 500;

export function UploadView({ address }: { readonly address: CollectionAddress }) {
  const path = collectionPath(address);
  const query = useCollection(path);
  const name = query.data?.name ?? address.name;
  const trail = [
    { name: 'Media', href: '/' },
    { name, href: path },
  ];
  return (
    <View title={`Upload to ${name}`} trail={trail}>
      <Answer query={query} what={`the collection ${name}`}>
        {(collection) =>
          collection.isMedia && collection.actions.includes('create') ? (
            <UploadForm path={path} collection={collection} />
          ) : (
            <Empty text="You may not upload files here." />
          )
        }
      </Answer>
    </View>
  );
}

function useUploadQueue(path: string, isSigned: boolean): UploadQueue {
  const queries = useQueryClient();
  const send = useSendFile(path, isSigned);
  const [queue] = useState(() =>
    createUploadQueue({
      send,
      onStored: () => void queries.invalidateQueries({ queryKey: ['documents', path] }),
    }),
  );
  useEffect(() => () => queue.stopAll(), [queue]);
  return queue;
}

interface UploadFormProps {
  readonly path: string;
  readonly collection: CollectionDescription;
}

function UploadForm({ path, collection }: UploadFormProps) {
  const queue = useUploadQueue(path, collection.settings.signUploads);
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads);
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const [changes, setChanges] = useState<Changes>({});
  const fields = fieldsOf(collection).filter(({ isInForms, isClosed }) => isInForms && !isClosed);
  const sent = formFields(fields, changes);
  const hasProblem = problemsIn(changes).size > 0;
  const isUnderWay = uploads.some(({ state }) => state === 'waiting' || state === 'sending');
  useUnsaved('files that are not sent yet', chosen.length > 0 || isUnderWay);
  const choose = (files: Iterable<File>) => setChosen((before) => [...before, ...files].slice(0, MAX_CHOSEN));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (hasProblem || chosen.length === 0) return;
    queue.add(chosen, sent);
    setChosen([]);
  };
  return (
    <Stack maw="48rem">
      <form onSubmit={submit} noValidate>
        <Stack>
          <FileChooser hasFiles={chosen.length > 0} onChoose={choose} />
          {chosen.length > 0 && <Chosen files={chosen} onChange={setChosen} />}
          {fields.length > 0 && (
            <Fieldset legend={chosen.length > 1 ? 'Fields of each of these files' : 'Fields of the file'}>
              <DocumentFields
                fields={fields}
                stored={defaultsOf(fields)}
                changes={changes}
                errors={new Map()}
                isReadOnly={false}
                onChange={(name, change) => setChanges((before) => ({ ...before, [name]: change }))}
              />
            </Fieldset>
          )}
          <Group>
            <Button type="submit" disabled={chosen.length === 0 || hasProblem}>
              Upload
            </Button>
          </Group>
        </Stack>
      </form>
      <UploadList path={path} uploads={uploads} queue={queue} fields={sent} />
    </Stack>
  );
}

interface FileChooserProps {
  readonly hasFiles: boolean;
  readonly onChoose: (files: Iterable<File>) => void;
}

function FileChooser({ hasFiles, onChoose }: FileChooserProps) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onChoose(event.dataTransfer.files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the input inside does the same for keyboards
    <div
      className={classes['drop']}
      data-over={isOver || undefined}
      data-has-files={hasFiles || undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <TextInput
        label="Files"
        description="Choose one or several, or drop them here."
        type="file"
        multiple
        onChange={(event) => {
          const { currentTarget } = event;
          onChoose([...(currentTarget.files ?? [])]);
          // The same file may be chosen again.
          currentTarget.value = '';
        }}
      />
    </div>
  );
}

interface ChosenProps {
  readonly files: readonly File[];
  readonly onChange: (files: readonly File[]) => void;
}

function Chosen({ files, onChange }: ChosenProps) {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <Stack gap="xs">
      <Text role="status">
        {files.length} {files.length === 1 ? 'file' : 'files'} chosen, {formatBytes(total)}
        {files.length === MAX_CHOSEN && `: no more than ${MAX_CHOSEN} at a time`}
      </Text>
      <List aria-label="Chosen files">
        {files.map((file, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
          <List.Item key={`${index} ${file.name}`} className="wrap">
            {file.name}, {formatBytes(file.size)}{' '}
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Remove ${file.name}`}
              onClick={() => onChange(files.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
