// Writes are validated by the specification that is in force when they commit: one that was replaced meanwhile has them validated
// anew.
import { AppError } from '../../errors/errors.ts';
import type { AccessAction } from '../../lib/access-actions.ts';
import type { MaybePromise } from '../../lib/async/maybe-promise.ts';
import { notPermitted } from '../model/access.ts';
import type { Collection, CollectionRegistry } from '../model/collection.ts';
import type { Caller } from '../model/documents.ts';

/** Specifications that are replaced this often during one write are somebody's loop. */
const MAX_ATTEMPTS = 10;

/** A specification that a write was validated by is not in force any more. Nothing was written. */
class SpecificationChangedError extends Error {
  override readonly name = 'SpecificationChangedError';
}

type Registry = Pick<CollectionRegistry, 'get'>;

const currentOf = (registry: Registry, { version, database, name }: Collection) =>
  registry.get(version, database, name);

/** Throws a SpecificationChangedError unless these specifications are in force. Call it at once before the commit. */
export function assertCurrent(
  registry: Registry,
  planned: readonly { readonly collections: readonly Collection[] }[],
): void {
  let checked: Collection | undefined;
  for (const { collections } of planned) {
    for (const collection of collections) {
      // Most commits write to one collection.
      if (collection === checked) continue;
      if (currentOf(registry, collection) !== collection) throw new SpecificationChangedError();
      checked = collection;
    }
  }
}

interface SpecifiedWrite<T> {
  readonly collection: Collection;
  readonly caller: Pick<Caller, 'access' | 'clientId'>;
  readonly action: AccessAction;
  readonly run: (collection: Collection) => MaybePromise<T>;
}

/**
 * Runs a write, again with the new specification where that was replaced meanwhile. Rejects with NOT_FOUND where it was removed,
 * with NOT_PERMITTED where the new one permits the caller no such write, with STORE_BUSY, and as `run` does.
 */
export async function withCurrentSpecification<T>(registry: Registry, write: SpecifiedWrite<T>): Promise<T> {
  const { caller, action, run } = write;
  let { collection } = write;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(collection);
    } catch (error) {
      if (!(error instanceof SpecificationChangedError)) throw error;
      if (attempt === MAX_ATTEMPTS) throw new AppError('STORE_BUSY', { cause: error });
    }
    const current = currentOf(registry, collection);
    if (current === undefined) throw new AppError('NOT_FOUND');
    const access = caller.access(current);
    if (access[action] === null) throw notPermitted(access, caller);
    collection = current;
  }
}
