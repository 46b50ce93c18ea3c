// The states that a document has had: what has changed since one of them, and its way back. Also of a document that was deleted.
import { Button, Stack, Text, Title } from '@mantine/core';
import { useSearchParams } from 'wouter';
import type { JsonObject } from '../../../api/types.ts';
import type { CollectionDescription, StoredDocument } from '../../../api/types-collections.ts';
import { CodeEditor } from '../../../parts/code/code-editor.tsx';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { useDialogs } from '../../../parts/dialogs.tsx';
import { ErrorMessage } from '../../../parts/error-message.tsx';
import { Answer, Empty } from '../../../parts/loading.tsx';
import { Time } from '../../../parts/time.tsx';
import { useToasts } from '../../../parts/toasts.tsx';
import { useLeave } from '../../../shell/leaving/leave-question.tsx';
import { View } from '../../../shell/view.tsx';
import { type CollectionAddress, collectionPath } from '../address.ts';
import { useCollection, useDocument, useDocumentWrites } from '../collection-queries.ts';
import { Pager } from '../documents/pager.tsx';
import { fieldsOf, titleField } from '../fields/field.ts';
import { titleOf } from '../fields/value-text.ts';
import { INTERNAL_FIELDS, REVISION_MEMBERS } from '../internal-fields.ts';
import { useRevisions } from './revision-queries.ts';

const INTERNALS = new Set([...INTERNAL_FIELDS, ...REVISION_MEMBERS]);

/** The fields of a state in the order of their names, so that two states can be compared line by line. */
function fieldsText(state: JsonObject | null): string {
  if (state === null) return '';
  const fields = Object.entries(state).filter(([name]) => !INTERNALS.has(name));
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(fields), null, 2);
}

const ACTIONS: ReadonlyMap<unknown, string> = new Map([
  ['create', 'created'],
  ['update', 'changed'],
  ['delete', 'deleted'],
]);

interface RevisionsProps {
  readonly address: CollectionAddress;
  readonly id: string;
}

export function Revisions({ address, id }: RevisionsProps) {
  const path = collectionPath(address);
  const collection = useCollection(path);
  const present = useDocument(path, id);
  const name = collection.data?.name ?? address.name;
  const title =
    collection.data && present.data ? titleOf(present.data, titleField(fieldsOf(collection.data))) : id;
  const trail = [
    { name: 'Collections', href: '/' },
    { name, href: path },
    { name: title, href: `${path}/${encodeURIComponent(id)}` },
  ];
  return (
    <View title={`Revisions of ${title}`} trail={trail}>
      <Answer query={collection} what={`the collection ${address.name}`}>
        {(known) =>
          known.settings.storeRevisions ? (
            <List path={path} id={id} collection={known} />
          ) : (
            <Empty text="This collection keeps no revisions." />
          )
        }
      </Answer>
    </View>
  );
}

interface ListProps {
  readonly path: string;
  readonly id: string;
  readonly collection: CollectionDescription;
}

function List({ path, id, collection }: ListProps) {
  const [search, setSearch] = useSearchParams();
  const page = Math.max(1, Math.trunc(Number(search.get('page') ?? '1')) || 1);
  const revisions = useRevisions(path, id, page);
  const present = useDocument(path, id);
  const restore = useRestore(path, id, present.data ?? null);
  const chosen = revisions.data?.results.find(({ _id }) => _id === search.get('revision'));
  const mayRestore =
    !collection.isMedia && collection.actions.includes(present.data === null ? 'create' : 'update');
  const isPresent = (revision: StoredDocument) =>
    Boolean(present.data) && fieldsText(revision) === fieldsText(present.data ?? null);
  const show = (revision: string) =>
    setSearch({ ...(page > 1 && { page: String(page) }), revision }, { replace: true });
  const columns: readonly Column<StoredDocument>[] = [
    { label: 'Version', isName: true, cell: ({ v }) => String(v ?? '') },
    { label: 'Was', cell: ({ action }) => ACTIONS.get(action) ?? String(action ?? '') },
    {
      label: 'When',
      cell: ({ lastModifiedAt, createdAt }) => {
        const at = lastModifiedAt ?? createdAt;
        return typeof at === 'number' ? <Time at={at} /> : '';
      },
    },
    { label: 'By', cell: ({ lastModifiedBy, createdBy }) => String(lastModifiedBy ?? createdBy ?? '') },
    {
      label: 'What can be done',
      cell: (revision) => (
        <Button.Group>
          <Button
            variant="default"
            size="compact-sm"
            aria-pressed={revision._id === chosen?._id}
            aria-description={`version ${String(revision['v'])}`}
            onClick={() => show(revision._id)}
          >
            Compare
          </Button>
          {mayRestore && !isPresent(revision) && (
            <Button
              variant="default"
              size="compact-sm"
              aria-description={`version ${String(revision['v'])}`}
              onClick={() => void restore.ask(revision)}
            >
              Restore
            </Button>
          )}
        </Button.Group>
      ),
    },
  ];
  return (
    <Stack>
      {present.data === null && <Text>The document was deleted, or you may not see it as it is now.</Text>}
      {restore.error !== null && <ErrorMessage error={restore.error} />}
      <Answer query={revisions} what="the revisions">
        {({ results, metadata }) =>
          results.length === 0 ? (
            <Empty text="There are no revisions of such a document." />
          ) : (
            <>
              <DataTable caption="Revisions" columns={columns} rows={results} keyOf={({ _id }) => _id} />
              <Pager
                page={page}
                pages={metadata.totalPages}
                total={metadata.totalCount}
                what="revisions"
                onChange={(next) => setSearch(next > 1 ? { page: String(next) } : {})}
              />
            </>
          )
        }
      </Answer>
      {chosen !== undefined && (
        <section aria-label="Comparison">
          <Title order={2}>{`What has changed since version ${String(chosen['v'])}`}</Title>
          {fieldsText(chosen) === fieldsText(present.data ?? null) ? (
            <Text>Nothing: the document is as it was.</Text>
          ) : (
            <CodeEditor
              key={chosen._id}
              label="The document as it is now"
              language="json"
              value={fieldsText(present.data ?? null)}
              original={fieldsText(chosen)}
              isReadOnly
            />
          )}
        </section>
      )}
    </Stack>
  );
}

function useRestore(path: string, id: string, present: StoredDocument | null) {
  const dialogs = useDialogs();
  const toasts = useToasts();
  const leave = useLeave();
  const { restore } = useDocumentWrites(path);
  const ask = async (revision: StoredDocument) => {
    const version = `version ${String(revision['v'])}`;
    const isSure = await dialogs.confirm({
      title: `Restore ${version}?`,
      gone: present === null ? [] : [`the fields as they are now, where ${version} has others`],
      note:
        present === null
          ? 'The document will be there again, under its id.'
          : 'The state of now stays among the revisions.',
      action: 'Restore',
    });
    if (!isSure) return;
    restore.mutate(
      { id, revision: revision._id },
      {
        onSuccess: () => {
          toasts.say(`The document is as it was in ${version}.`);
          leave(`${path}/${encodeURIComponent(id)}`);
        },
      },
    );
  };
  return { ask, error: restore.error };
}
