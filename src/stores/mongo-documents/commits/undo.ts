// Takes back, in reverse, what a commit without a transaction had done when it failed.
import type { Document } from 'mongodb';
import { versionOf } from '../../../lib/document-version.ts';
import type { Namespace, Write } from '../../ports.ts';
import type { Scope } from '../connection/types.ts';
import { send } from './command.ts';
import { type Images, restored } from './images.ts';
import { cut } from './parcels.ts';
import { idOf, replacementBy, stateFilter } from './statements.ts';
import { readVersions } from './versions.ts';

/** Writes of one kind on one collection that were done, in their order. */
export interface Done {
  readonly kind: Write['kind'];
  readonly ns: Namespace;
  readonly writes: readonly Write[];
}

/** Documents that are not as they were before, because somebody has gone on from there. */
export interface Leftover {
  readonly ns: Namespace;
  readonly ids: readonly string[];
}

/**
 * Deletes what was inserted, replaces what was updated and inserts what was removed, wherever it is still as the commit
 * left it. Returns what could not be taken back. Rejects with what the driver throws.
 */
export async function undo(
  scope: Scope,
  done: readonly Done[],
  images: Images,
): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const { kind, ns, writes } of done.toReversed()) {
    const sizeOf = (write: Write) => images.get(write)?.length ?? 0;
    for (const part of cut(writes.toReversed(), sizeOf)) {
      const commandFor = (collection: string) => commandOf(kind, collection, { part, images });
      const answer = await send(scope, { ns, commandFor }, {});
      if (answer['n'] === part.length && answer['writeErrors'] === undefined) continue;
      const ids = await changedIds(scope, { kind, ns, writes: part });
      if (ids.length > 0) leftovers.push({ ns, ids });
    }
  }
  return leftovers;
}

interface Part {
  readonly part: readonly Write[];
  readonly images: Images;
}

function commandOf(kind: Write['kind'], collection: string, { part, images }: Part): Document {
  const old = (write: Write) => restored(images.get(write) ?? new Uint8Array());
  const after = (write: Write) =>
    stateFilter(idOf(write), write.kind === 'remove' ? write.v : versionOf(write.document));
  switch (kind) {
    case 'insert':
      return {
        delete: collection,
        ordered: false,
        deletes: part.map((one) => ({ q: after(one), limit: 1 })),
      };
    case 'update':
      return {
        update: collection,
        ordered: false,
        updates: part.map((one) => ({ q: after(one), u: replacementBy(old(one)) })),
      };
    case 'remove':
      return { insert: collection, ordered: false, documents: part.map(old) };
  }
}

/** The ids of the documents that are not as they were before. */
async function changedIds(scope: Scope, { kind, ns, writes }: Done): Promise<readonly string[]> {
  const versions = await readVersions(scope, { ns, writes });
  return writes
    .filter((write) => {
      const v = versions.get(idOf(write));
      if (kind === 'insert') return v !== undefined;
      if (kind === 'remove') return v === undefined;
      return v !== undefined && write.kind === 'update' && v !== write.v;
    })
    .map(idOf);
}
