// Rolls back, in reverse order, the writes that a failed commit without a transaction had applied.
import type { Document } from 'mongodb';
import { documentVersion } from '../../../lib/document-version.ts';
import type { Namespace, Write } from '../../ports.ts';
import type { OperationScope } from '../connection/types.ts';
import { splitBySize } from './batches.ts';
import { type BeforeImages, deserializeImage } from './before-images.ts';
import { readVersions } from './command-progress.ts';
import { runWriteCommand } from './write-commands.ts';
import { replaceOperation, stateFilter, writtenId } from './write-operations.ts';

/** Writes of one kind on one collection that were done, in their order. */
export interface AppliedWrites {
  readonly kind: Write['kind'];
  readonly ns: Namespace;
  readonly writes: readonly Write[];
}

/** Documents that were not restored, because another client has changed them since. */
export interface UnrestoredDocuments {
  readonly ns: Namespace;
  readonly ids: readonly string[];
}

/**
 * Deletes what was inserted, replaces what was updated and inserts what was removed, wherever it is still as the commit
 * left it. Returns what could not be restored. Rejects with what the driver throws.
 */
export async function rollBackWrites(
  scope: OperationScope,
  done: readonly AppliedWrites[],
  images: BeforeImages,
): Promise<readonly UnrestoredDocuments[]> {
  const leftovers: UnrestoredDocuments[] = [];
  for (const { kind, ns, writes } of done.toReversed()) {
    const sizeOf = (write: Write) => images.get(write)?.length ?? 0;
    for (const part of splitBySize(writes.toReversed(), sizeOf)) {
      const commandFor = (collection: string) => rollbackCommand(kind, collection, { part, images });
      const answer = await runWriteCommand(scope, { ns, commandFor }, {});
      if (answer['n'] === part.length && answer['writeErrors'] === undefined) continue;
      const ids = await unrestoredIds(scope, { kind, ns, writes: part });
      if (ids.length > 0) leftovers.push({ ns, ids });
    }
  }
  return leftovers;
}

interface RollbackPart {
  readonly part: readonly Write[];
  readonly images: BeforeImages;
}

function rollbackCommand(kind: Write['kind'], collection: string, { part, images }: RollbackPart): Document {
  const old = (write: Write) => deserializeImage(images.get(write) ?? new Uint8Array());
  const after = (write: Write) =>
    stateFilter(writtenId(write), write.kind === 'remove' ? write.v : documentVersion(write.document));
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
        updates: part.map((one) => ({ q: after(one), u: replaceOperation(old(one)) })),
      };
    case 'remove':
      return { insert: collection, ordered: false, documents: part.map(old) };
  }
}

/** The ids of the documents that are not as they were before. */
async function unrestoredIds(
  scope: OperationScope,
  { kind, ns, writes }: AppliedWrites,
): Promise<readonly string[]> {
  const versions = await readVersions(scope, { ns, writes });
  return writes
    .filter((write) => {
      const v = versions.get(writtenId(write));
      if (kind === 'insert') return v !== undefined;
      if (kind === 'remove') return v === undefined;
      return v !== undefined && write.kind === 'update' && v !== write.v;
    })
    .map(writtenId);
}
