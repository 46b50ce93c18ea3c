// Maps the error of a failed write to a StoreError that names the write and its fields.
import type { Document } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { expandRows, parsePath } from '../../matching/paths.ts';
import type { StoredDocument, Write } from '../../ports.ts';
import { driverErrorToStoreError } from '../connection/errors.ts';
import type { IndexCache, OperationScope } from '../connection/types.ts';

/** A write that failed. */
export interface FailedWrite {
  readonly error: unknown;
  readonly write: Write;
  /** Its position in the commit. */
  readonly index: number;
}

/** What is wrong with one write, and not with the server. */
const PER_WRITE_REASONS: ReadonlySet<StoreError['reason']> = new Set([
  'conflict',
  'duplicate',
  'parallel-arrays',
  'refused',
  'too-large',
]);

export type MapWriteError = (failedWrite: FailedWrite, scope: OperationScope) => Promise<StoreError>;

/** Makes StoreErrors that name the write. The server does not say which fields hold parallel arrays: the indexes do. */
export function createWriteErrorMapper(indexes: IndexCache): MapWriteError {
  return async ({ error, write, index }, scope) => {
    const { reason, fields, explanation, cause } = driverErrorToStoreError(error);
    const facts = { fields, cause, ...(explanation !== undefined && { explanation }) };
    if (!PER_WRITE_REASONS.has(reason)) return new StoreError(reason, facts);
    if (reason !== 'parallel-arrays' || write.kind === 'remove') {
      return new StoreError(reason, { index, ...facts });
    }
    const known = indexes.of(write.ns).map(({ definition }) => definition.keys.map(({ path }) => path));
    const declared = parallelArrayFields(write.document, known);
    if (declared.length > 0) return new StoreError(reason, { index, fields: declared, cause });
    const foreign = await scope.collection(write.ns).indexes();
    const paths = foreign.map((one: Document) => Object.keys(one['key'] as Document));
    return new StoreError(reason, { index, fields: parallelArrayFields(write.document, paths), cause });
  };
}

/** The paths of the first index that a document does not fit in, because two of them hold lists. */
export function parallelArrayFields(
  document: StoredDocument,
  indexes: readonly (readonly string[])[],
): readonly string[] {
  for (const paths of indexes) {
    try {
      expandRows(document, paths.map(parsePath));
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'parallel-arrays') return error.fields;
      throw error;
    }
  }
  return [];
}
