// Brings declared indexes into force, all or nothing, and says which field of which data stands in the way.
import { AppError, StoreError } from '../../errors.ts';
import type { DocumentStore, IndexDefinition, Namespace } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import { namespaceKey } from '../registry.ts';
import { type IndexPlan, planIndexes, plansFor } from './index-plan.ts';
import type { SpecificationLog } from './log.ts';

export interface IndexKeeper {
  /**
   * Makes `collection` one of the live collections as far as indexes go. Resolves, once unique indexes are in force,
   * with what takes the change back. Throws SPECIFICATION_INVALID, with nothing changed, where data break one.
   */
  add(collection: Collection, live: readonly Collection[]): Promise<() => Promise<void>>;
  /** Drops what only a collection declared that is no longer among `live`. */
  drop(collection: Collection, live: readonly Collection[]): Promise<void>;
  /** At a start: every index of `live` that the data permit; the others are logged and left out. */
  addAll(live: readonly Collection[]): Promise<void>;
}

const pathsOf = ({ keys }: IndexDefinition) => keys.map(({ path }) => path);

function notUnique(fields: readonly string[]): AppError {
  const names = fields.map((field) => `\`${field}\``).join(', ');
  const message = `the documents that are there are not unique in ${names}`;
  const item = { section: 'settings', setting: 'index', field: fields.join(','), message };
  return new AppError('SPECIFICATION_INVALID', { items: [item] });
}

export function createIndexKeeper(
  store: Pick<DocumentStore, 'ensureIndexes'>,
  log: SpecificationLog,
): IndexKeeper {
  const ensure = async ({ namespace, indexes }: IndexPlan): Promise<void> => {
    const { built } = await store.ensureIndexes(namespace, indexes);
    built.catch((error: unknown) => log.error({ err: error, namespace }, 'an index could not be built'));
  };

  const restore = async (namespaces: readonly Namespace[], live: readonly Collection[]): Promise<void> => {
    for (const namespace of namespaces) await ensure(planIndexes(namespace, live));
  };

  const ensureWhatHolds = async (plan: IndexPlan): Promise<void> => {
    try {
      await ensure(plan);
    } catch (error) {
      log.error({ err: error, namespace: plan.namespace }, 'an index is not in force');
      if (!(error instanceof StoreError) || error.reason !== 'duplicate') return;
      const broken = (index: IndexDefinition) =>
        index.unique && pathsOf(index).join('\0') === error.fields.join('\0');
      const rest = plan.indexes.filter((index) => !broken(index));
      if (rest.length < plan.indexes.length) await ensureWhatHolds({ ...plan, indexes: rest });
    }
  };

  return {
    async add(collection, live) {
      const after = [...live.filter(({ path }) => path !== collection.path), collection];
      const done: Namespace[] = [];
      for (const plan of plansFor(collection, after)) {
        try {
          await ensure(plan);
          done.push(plan.namespace);
        } catch (error) {
          await restore(done, live);
          if (error instanceof StoreError && error.reason === 'duplicate') throw notUnique(error.fields);
          throw error;
        }
      }
      return () => restore(done, live);
    },
    drop: (collection, live) => ensure(planIndexes(collection.namespace, live)),
    async addAll(live) {
      const plans = live.flatMap((entry) => plansFor(entry, live));
      const distinct = new Map(plans.map((plan) => [namespaceKey(plan.namespace), plan]));
      for (const plan of distinct.values()) await ensureWhatHolds(plan);
    },
  };
}
