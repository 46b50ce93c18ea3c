// One of the two servers of a generated world: the documents' rules over a store, with a clock and ids that both sides share.

import { createDocumentService } from '../../../src/collections/document-service.ts';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import { declaredIndexesOf } from '../../../src/collections/specifications/index-sync.ts';
import { parseSpecification } from '../../../src/collections/specifications/parse-specification.ts';
import { AppError, StoreError } from '../../../src/errors/errors.ts';
import type { MaybePromise } from '../../../src/lib/async/maybe-promise.ts';
import type { ChunkedText } from '../../../src/lib/chunked-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/lib/json/json.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { contextOf, LIMITS, NO_HOOKS } from '../../collections/library-service.ts';
import { idOf } from '../../contracts/store-cases.ts';
import type { Operation } from './requests.ts';

/** What a client would see of an operation. */
export type Outcome = { readonly value: unknown } | { readonly refusal: unknown };

/**
 * A document as it is compared: the order of its own fields is nobody's business, that inside its values counts.
 * Only whole documents have `createdAt`, composed ones and revisions too.
 */
function comparable(value: Json): unknown {
  if (Array.isArray(value)) return value.map((entry) => comparable(entry as Json));
  if (!isJsonObject(value) || !Object.hasOwn(value, 'createdAt')) return JSON.stringify(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, comparable(member)]));
}

const documentTexts = (text: ChunkedText) =>
  (JSON.parse(`[${[text].flat().join('')}]`) as Json[]).map((document) => JSON.stringify(document));

function answerOf(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('results' in answer || 'text' in answer))
    return answer;
  const results =
    'text' in answer ? documentTexts(answer.text as ChunkedText) : (answer.results as readonly string[]);
  // What is projected has no `createdAt` to be known by, and is ordered by itself.
  return {
    ...answer,
    text: undefined,
    results: results.map((text) => comparable({ createdAt: 0, ...JSON.parse(text) })),
  };
}

export interface Side {
  /** Puts a specification in force, indexes and all. */
  put(name: string, source: JsonObject): Promise<Outcome>;
  run(name: string, operation: Operation): Promise<Outcome>;
}

async function outcomeOf(work: () => MaybePromise<unknown>): Promise<Outcome> {
  try {
    return { value: answerOf(await work()) };
  } catch (error) {
    if (error instanceof AppError)
      return { refusal: { code: error.code, status: error.status, items: error.items } };
    if (error instanceof StoreError && ['duplicate', 'parallel-arrays'].includes(error.reason)) {
      return { refusal: { reason: error.reason, fields: error.fields } };
    }
    throw error;
  }
}

/** Which paths of an index hold the lists that forbid it, only one of the stores can tell. */
function withoutPaths(error: unknown): never {
  if (error instanceof StoreError && error.reason === 'parallel-arrays') throw new StoreError(error.reason);
  throw error;
}

/** A side of a new world on `store`, which may hold other worlds under other names. */
export function createSide(store: DocumentStore): Side {
  const registry = createCollectionRegistry();
  let unbuilt = false;
  let serial = 0;
  let clock = 1_700_000_000_000;
  const now = () => {
    clock += 1000;
    return clock;
  };
  const generateId = () => {
    serial += 1;
    return idOf(serial);
  };
  const documents = createDocumentService({
    store,
    registry,
    limits: LIMITS,
    generateId,
    now,
    patterns: { matches: async () => true },
    hooks: NO_HOOKS,
    log: { warn: () => undefined },
  });

  const statistics = async ({ namespace }: Collection) => {
    const { count, indexes, indexSizes } = await store.stats(namespace);
    return unbuilt ? { count } : { count, indexes, names: Object.keys(indexSizes).sort() };
  };

  const perform = (collection: Collection, operation: Operation): MaybePromise<unknown> => {
    const context = contextOf();
    switch (operation.kind) {
      case 'list':
        return documents.list(collection, operation.request, context);
      case 'count':
        return documents.count(collection, operation.request, context);
      case 'get':
        return documents.get(collection, operation.id, operation.request, context);
      case 'history':
        return documents.history(collection, operation.id, operation.request, context);
      case 'create':
        return documents.create(collection, operation.body, context, {});
      case 'update':
        return documents.updateById(collection, operation.id, operation.body, context, {});
      case 'updateMany': {
        const { query, update } = operation;
        return documents.updateByQuery(collection, { query, update } as Json, context, {});
      }
      case 'remove':
        return documents.removeById(collection, operation.id, context, {});
      case 'removeMany':
        return documents.removeByQuery(collection, { query: operation.query }, context, {
          countRemaining: true,
        });
      case 'stats':
        return statistics(collection);
    }
  };

  return {
    put: (name, source) =>
      outcomeOf(async () => {
        const address = { version: '1.0', database: 'world', name };
        const { collection } = parseSpecification(source, address, { enableCollectionDatabases: false });
        const others = registry.list().filter((other) => other.name !== name);
        for (const { namespace, indexes } of declaredIndexesOf([collection], [...others, collection])) {
          const { built } = await store.ensureIndexes(namespace, indexes).catch(withoutPaths);
          // What cannot be built behind the answer is logged: no client hears of it but by the statistics.
          await built.catch(() => {
            unbuilt = true;
          });
        }
        registry.put(collection);
        return { unbuilt };
      }),
    run: (name, operation) => outcomeOf(() => perform(registry.get('1.0', 'world', name)!, operation)),
  };
}
