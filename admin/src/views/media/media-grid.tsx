// The files of a media collection: one page of them, by a part of their name that is in the address.
import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { isAdmin, useApi, useMe } from '../../api/api-context.tsx';
import type { CollectionDescription } from '../../api/types-collections.ts';
import { useDialogs } from '../../parts/dialogs.tsx';
import { dimensionsOf, type FileRecord, RECORD_FIELDS, recordOf } from '../../parts/files/file-record.ts';
import { Picture } from '../../parts/files/picture.tsx';
import { createSlots, type Slots } from '../../parts/files/slots.ts';
import { Answer, Empty } from '../../parts/loading.tsx';
import { formatBytes } from '../../parts/time.tsx';
import { useToasts } from '../../parts/toasts.tsx';
import { View } from '../../shell/view.tsx';
import { type CollectionAddress, collectionPath } from '../collections/address.ts';
import { useCollection, useDocuments } from '../collections/collection-queries.ts';
import { Pager } from '../collections/documents/pager.tsx';
import classes from './media.module.css';

const PAGE_SIZE = 24;
/** Pictures that are loaded at a time. */
const MAX_LOADING = 4;

const TRAIL = [{ name: 'Media', href: '/' }];

export function MediaGrid({ address }: { readonly address: CollectionAddress }) {
  const me = useMe();
  const path = collectionPath(address);
  const query = useCollection(path);
  const mayUpload = query.data?.actions.includes('create') === true;
  const actions = (
    <>
      {mayUpload && (
        <Button component={Link} href={`${path}/upload`}>
          Upload
        </Button>
      )}
      {isAdmin(me) && <FlushButton path={path} name={address.name} />}
    </>
  );
  return (
    <View title={query.data?.name ?? address.name} trail={TRAIL} actions={actions}>
      <Answer query={query} what={`the collection ${address.name}`}>
        {(collection) => <Files path={path} collection={collection} />}
      </Answer>
    </View>
  );
}

function FlushButton({ path, name }: { readonly path: string; readonly name: string }) {
  const api = useApi();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const flush = async () => {
    const isSure = await dialogs.confirm({
      title: `Flush what is cached of ${name}?`,
      gone: [`the answers about ${name} that the server has kept`],
      note: 'No record and no file changes.',
      action: 'Flush',
    });
    if (!isSure) return;
    try {
      await api.send('POST', '/api/flush', { path });
      toasts.say(`Nothing of ${name} is cached any more.`);
    } catch (error) {
      toasts.fail(error);
    }
  };
  return (
    <Button variant="default" onClick={() => void flush()}>
      Flush
    </Button>
  );
}

interface FilesProps {
  readonly path: string;
  readonly collection: CollectionDescription;
}

function Files({ path, collection }: FilesProps) {
  if (!collection.isMedia) return <Empty text="This is no media collection: its documents are no files." />;
  if (!collection.actions.includes('read'))
    return <Empty text="You may not see the files of this collection." />;
  return <FilePage path={path} />;
}

const escapeText = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function FilePage({ path }: { readonly path: string }) {
  const [search, setSearch] = useSearchParams();
  const [slots] = useState(() => createSlots(MAX_LOADING));
  const name = search.get('name') ?? '';
  const page = Math.max(1, Math.trunc(Number(search.get('page') ?? '1')) || 1);
  const change = (next: { readonly name: string; readonly page: number }) =>
    setSearch({
      ...(next.name !== '' && { name: next.name }),
      ...(next.page > 1 && { page: String(next.page) }),
    });
  const query = useDocuments(path, {
    page,
    count: PAGE_SIZE,
    // The newest first: ids grow with time.
    sort: JSON.stringify({ _id: -1 }),
    fields: JSON.stringify(Object.fromEntries(RECORD_FIELDS.map((field) => [field, 1]))),
    compose: false,
    ...(name !== '' && { filter: JSON.stringify({ fileName: { $regex: escapeText(name) } }) }),
  });
  return (
    <Stack>
      <SearchByName key={name} name={name} onSearch={(text) => change({ name: text, page: 1 })} />
      <Answer query={query} what="the files">
        {({ results, metadata }) => (
          <Stack aria-busy={query.isPlaceholderData}>
            {results.length === 0 ? (
              <Empty text={name === '' ? 'There are no files here.' : `No file has "${name}" in its name.`} />
            ) : (
              <ul className={classes['grid']} aria-label="Files">
                {results.map((document) => (
                  <Tile key={document._id} path={path} file={recordOf(document)} slots={slots} />
                ))}
              </ul>
            )}
            <Pager
              page={page}
              pages={metadata.totalPages}
              total={metadata.totalCount}
              what="files"
              onChange={(next) => change({ name, page: next })}
            />
          </Stack>
        )}
      </Answer>
    </Stack>
  );
}

interface SearchByNameProps {
  readonly name: string;
  readonly onSearch: (name: string) => void;
}

function SearchByName({ name, onSearch }: SearchByNameProps) {
  const [text, setText] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return (
    <form onSubmit={submit} aria-label="Search">
      <Group align="flex-end">
        <TextInput
          label="Name of the file"
          type="search"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          Search
        </Button>
        {name !== '' && (
          <Button variant="default" onClick={() => onSearch('')}>
            Show all
          </Button>
        )}
      </Group>
    </form>
  );
}

interface TileProps {
  readonly path: string;
  readonly file: FileRecord;
  readonly slots: Slots;
}

function Tile({ path, file, slots }: TileProps) {
  return (
    <li>
      <div className={classes['frame']}>
        <Picture path={path} file={file} slots={slots} alt="" />
      </div>
      <Anchor
        component={Link}
        href={`${path}/${encodeURIComponent(file.id)}`}
        className={classes['name'] ?? ''}
      >
        {file.fileName}
      </Anchor>
      <Text size="sm">
        {[dimensionsOf(file), formatBytes(file.contentLength)]
          .filter((part) => part !== undefined)
          .join(', ')}
      </Text>
    </li>
  );
}
