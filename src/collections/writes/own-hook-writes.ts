// Hooks may write the documents of the write that they run for. It goes on from what they wrote: taken for the write of somebody
// else, it would run the hooks again, which would write again.
import { StoreError } from '../../errors/errors.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
import type { StoredDocument, Write } from '../../stores/ports.ts';
import { type Collection, documentKey } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import type { WriteDeps } from './write-deps.ts';

/** Tells the hooks that made this request what it has committed. */
export function reportToHooks(writes: readonly Write[], { reportsTo }: RequestContext): void {
  if (reportsTo === undefined) return;
  for (const write of writes) {
    if (write.kind === 'remove') reportsTo.addRemoval(documentKey(write.ns, write.id));
    else reportsTo.addState(documentKey(write.ns, write.document._id), documentVersion(write.document));
  }
}

interface Followed {
  readonly documents: readonly StoredDocument[];
  /** How many of them hooks of the request have removed. */
  readonly removed: number;
}

/**
 * The documents as the hooks of the request have left them, read again where they wrote any. Rejects with a StoreError
 * `conflict` where somebody else wrote too, whose state the hooks have not seen.
 */
export async function followHookWrites(
  { store }: { readonly store: Pick<WriteDeps['store'], 'findByIds'> },
  { namespace }: Pick<Collection, 'namespace'>,
  documents: readonly StoredDocument[],
  { hookWrites, deadline }: RequestContext,
): Promise<Followed> {
  const keyOf = ({ _id }: StoredDocument) => documentKey(namespace, _id);
  const written = documents.filter((document) => hookWrites?.hasWritten(keyOf(document)));
  if (hookWrites === undefined || written.length === 0) return { documents, removed: 0 };
  const ids = written.map(({ _id }) => _id);
  const texts = await store.findByIds(namespace, ids, { deadline });
  const states = new Map<string, StoredDocument | undefined>();
  for (const document of written) {
    const text = texts.get(document._id);
    const state = text === undefined ? undefined : parseStoredJson<StoredDocument>(text);
    const isOwn =
      state === undefined
        ? hookWrites.hasRemoved(keyOf(document))
        : hookWrites.madeAllAfter(keyOf(document), documentVersion(document), documentVersion(state));
    if (!isOwn) throw new StoreError('conflict');
    states.set(document._id, state);
  }
  const left = documents.flatMap((document) => {
    const state = states.has(document._id) ? states.get(document._id) : document;
    return state === undefined ? [] : [state];
  });
  return { documents: left, removed: documents.length - left.length };
}
