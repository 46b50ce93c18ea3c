// The code of an endpoint or hook in an editor. Reviewers read it; admins save it, and see what the server says at its lines.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Tagged } from '../../api/api.ts';
import { isOutdated, toApiError } from '../../api/api-error.ts';
import { useUnsaved } from '../../shell/leaving/unsaved-changes.ts';
import { CodeEditor, problemsOf } from '../code/code-editor.tsx';
import { useDialogs } from '../dialogs.tsx';
import { ErrorMessage } from '../error-message.tsx';
import { Answer, Empty } from '../loading.tsx';
import { useToasts } from '../toasts.tsx';
import { useDraftVersion } from './edit-version.tsx';
import {
  useCodeRights,
  useInForce,
  useModule,
  useModuleWrites,
  useSource,
  useVersionSource,
  useVersions,
} from './module-queries.ts';
import { type ModuleRef, titleOf } from './module-ref.ts';
import { Saved, warningsAt } from './saved-code.tsx';

export function CodeSection({ of: ref }: { readonly of: ModuleRef }) {
  const source = useSource(ref);
  return (
    <Answer query={source} what="the code">
      {(found) =>
        found === null ? <PendingCode of={ref} /> : <Editor key={titleOf(ref)} of={ref} source={found} />
      }
    </Answer>
  );
}

/** Where no version is approved yet, the newest one: it waits, or was refused. */
function PendingCode({ of: ref }: { readonly of: ModuleRef }) {
  const versions = useVersions(ref);
  const module = useModule(ref).data;
  const waiting = module?.pending?.at(-1)?.version;
  const version =
    waiting ??
    versions.data
      ?.map((one) => one.version)
      .sort((a, b) => a - b)
      .at(-1);
  // The editor stays, with what the server said, when what is saved in it becomes a newer version.
  const source = useVersionSource(ref, version, { keepsPrevious: true });
  const isWithout = versions.data !== undefined && version === undefined;
  if (isWithout || (module !== undefined && module?.state !== 'pending')) {
    return <Empty text="There is no code that could be shown: it was removed, or its file is broken." />;
  }
  return (
    <Answer query={source} what="the newest code">
      {(text) => (
        <>
          <Text>
            This is version {version},{' '}
            {waiting === undefined
              ? 'which was not approved.'
              : 'which waits for approval. Nothing of it runs yet.'}
          </Text>
          <Editor of={ref} source={{ body: text ?? '', etag: undefined }} />
        </>
      )}
    </Answer>
  );
}

interface EditorProps {
  readonly of: ModuleRef;
  /** Without an ETag it is not in force: nothing is replaced by what is saved. */
  readonly source: Tagged<string>;
}

function Editor({ of: ref, source }: EditorProps) {
  const { mayChange } = useCodeRights();
  const dialogs = useDialogs();
  const toasts = useToasts();
  const inForce = useInForce(ref);
  const { save } = useModuleWrites(ref);
  const from = useDraftVersion();
  const proposal = useVersionSource(ref, mayChange ? from.version : undefined);
  /** The version whose code has become the draft. */
  const [begunWith, setBegunWith] = useState<number>();
  /** What the changes began with. Undefined while there are none: then the editor shows what the server has. */
  const [base, setBase] = useState<Tagged<string>>();
  const [draft, setDraft] = useState('');
  /** What waits for approval: the editor still shows it as a change. */
  const [waiting, setWaiting] = useState<string>();
  const shown = base === undefined ? source.body : draft;
  const isChanged = base !== undefined && draft !== base.body;
  const begun = begunWith === undefined ? '' : `, begun with version ${begunWith}`;
  useUnsaved(`what you changed in the code${begun}`, isChanged && draft !== waiting);
  if (from.version !== begunWith && (from.version === undefined || typeof proposal.data === 'string')) {
    setBegunWith(from.version);
    if (typeof proposal.data === 'string') {
      setBase(source);
      setDraft(proposal.data);
    }
  }
  const write = (text: string) => {
    if (base === undefined && text === source.body) return;
    if (base === undefined) setBase(source);
    setDraft(text);
  };
  /** Somebody else has saved other code meanwhile, or removed it. */
  const settle = async (): Promise<void> => {
    const now = await inForce.source();
    if (now?.body === shown) return submit(now);
    const choice = await dialogs.conflict({
      what: `The code of ${titleOf(ref)}`,
      ...(now === null && { message: 'No code of it is in force any more.' }),
    });
    if (choice === 'overwrite') return submit(now);
    if (choice === 'cancel') return;
    setBase(now ?? undefined);
    setDraft(now?.body ?? '');
  };
  /** `seen`: what is replaced; null: there was nothing. */
  const submit = async (seen: Tagged<string> | null): Promise<void> => {
    try {
      const result = await save.mutateAsync({ source: shown, isNew: false, etag: seen?.etag });
      // Code that waits is not in force: what was written stays in the editor, as a change of what is.
      if (result.isWaiting) setWaiting(shown);
      else setBase(undefined);
      from.end();
    } catch (thrown) {
      if (isOutdated(thrown)) await settle().catch(toasts.fail);
    }
  };
  const error = save.error === null || isOutdated(save.error) ? undefined : toApiError(save.error);
  return (
    <Stack>
      {error !== undefined && <ErrorMessage error={error} />}
      {save.data !== undefined && <Saved saved={save.data} />}
      {begunWith !== undefined && (
        <Text role="status">The editor holds the code of version {begunWith} as a draft.</Text>
      )}
      {proposal.error !== null && <ErrorMessage error={proposal.error} />}
      {from.version !== undefined && proposal.data === null && (
        <Text>The code of version {from.version} is not kept any more.</Text>
      )}
      <CodeEditor
        label="Code"
        language="javascript"
        value={shown}
        onChange={write}
        isReadOnly={!mayChange}
        problems={
          error === undefined ? warningsAt(save.data?.warnings ?? []) : problemsOf(error.items, 'error')
        }
      />
      {mayChange && (
        <Group>
          <Button onClick={() => void submit(base ?? source)} loading={save.isPending}>
            Save
          </Button>
          <Button
            variant="default"
            disabled={!isChanged}
            onClick={() => {
              setBase(undefined);
              save.reset();
              from.end();
            }}
          >
            Discard changes
          </Button>
        </Group>
      )}
    </Stack>
  );
}
