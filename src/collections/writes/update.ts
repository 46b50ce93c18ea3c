// Updating documents, one by its id or all that a query matches: only the fields that are sent are set.

import type { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type HookDeps, hasHooks, openHookSession } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import type {
  DocumentLimits,
  DocumentService,
  Page,
  RequestContext,
  WriteOptions,
} from '../model/documents.ts';
import { documentKey } from '../model/registry.ts';
import { writeMetadata } from '../reads/page-metadata.ts';
import { resolveUndeclared } from '../validation/undeclared-fields.ts';
import { commitWithRetry } from './commit-errors.ts';
import { withDocumentLock } from './document-lock.ts';
import type { WriteTargets } from './load-targets.ts';
import { hasSubDocuments, type Prepared, type Writer } from './prepare.ts';
import { assertStorable, assertValid, parseFields, parseQuery, parseUpdate } from './request-body.ts';

interface UpdateDeps extends HookDeps {
  readonly writer: Writer;
  readonly affected: WriteTargets;
  readonly limits: Pick<DocumentLimits, 'batch'>;
  /** Writers of one document wait for each other here, and need no second attempt. */
  readonly turns: KeyedMutex;
}

type Updating = Pick<DocumentService, 'updateById' | 'updateByQuery'>;

/** An update on its way, with what depends on the documents as they are now. */
interface UpdateTask {
  readonly collection: Collection;
  readonly fields: JsonObject;
  readonly find: (context: RequestContext) => Promise<readonly StoredDocument[]>;
}

interface Attempt {
  readonly collection: Collection;
  readonly prepared: Prepared;
  readonly find: () => Promise<readonly StoredDocument[]>;
}

function createUpdate(options: UpdateDeps) {
  const { writer, limits, now } = options;
  const prepare = (collection: Collection, fields: JsonObject, context: RequestContext) => {
    const target = {
      collection,
      mode: 'update' as const,
      origin: { prefix: '' },
      room: { left: limits.batch },
    };
    return writer.prepare(target, fields, context);
  };

  const writeWith = async (
    commit: Writer['commit'],
    { collection, prepared, find }: Attempt,
    context: RequestContext,
    { compose }: WriteOptions,
  ): Promise<Page> => {
    const { origin } = prepared;
    const { planned, updated } = await commit(
      [prepared],
      async (plan) => {
        const documents = await find();
        const stored = { collection, documents, caller: context.caller };
        const { fields, items } = await resolveUndeclared(prepared, stored);
        // What is refused anyway is not copied for each document.
        const targets = items.length === 0 ? documents : [];
        await mapYielding(targets, (one) => plan.update(collection, one, { fields, origin }));
        return { planned: documents.length, items };
      },
      context,
    );
    // Sub-documents were planned after the documents themselves.
    const written = updated.slice(0, planned);
    const carried = hasSubDocuments([prepared]);
    const results = await writer.answer(collection, written, { compose, carried, context });
    return { results, metadata: writeMetadata(results.length) };
  };

  const plain = async (
    { collection, fields, find }: UpdateTask,
    context: RequestContext,
    options: WriteOptions,
  ) => {
    const prepared = await prepare(collection, fields, context);
    // Sub-documents and undeclared fields may have failures of their own, which are told together with these.
    const isComplete = !hasSubDocuments([prepared]) && prepared.undeclared.length === 0;
    if (isComplete) assertValid(prepared.items);
    const attempt = { collection, prepared, find: () => find(context) };
    return writeWith(writer.commit, attempt, context, options);
  };

  /** Each attempt shows the hooks the documents that it is about to write: what they allowed is what is written. */
  const hooked = async (
    { collection, fields, find }: UpdateTask,
    asked: RequestContext,
    writeOptions: WriteOptions,
  ): Promise<Page> => {
    using session = openHookSession(options, asked);
    const { context } = session;
    const attempt = async () => {
      const stored = await find(context);
      const documents = await mapYielding(stored, (document) => JSON.stringify(document));
      // Where nothing is to be written there is nothing that a hook could stand before.
      const at = { event: 'beforeUpdate', collection } as const;
      const changed = stored.length === 0 ? fields : await session.transform(at, fields, { documents });
      const prepared = await prepare(collection, changed, context);
      const task = { collection, prepared, find: async () => stored };
      return writeWith(writer.commitOnce, task, context, writeOptions);
    };
    return await commitWithRetry(attempt, { context, now });
  };

  return (task: UpdateTask, context: RequestContext, writeOptions: WriteOptions): Promise<Page> => {
    const isHooked = hasHooks({ event: 'beforeUpdate', collection: task.collection });
    return (isHooked ? hooked : plain)(task, context, writeOptions);
  };
}

export function createUpdates(options: UpdateDeps): Updating {
  const { affected, turns } = options;
  const update = createUpdate(options);
  return {
    async updateById(collection, id, body, context, writeOptions) {
      const target = { collection, id };
      return withDocumentLock(turns, documentKey(collection.namespace, id), context, async () => {
        let read: StoredDocument | undefined = await affected.one(target, context, writeOptions);
        await assertStorable(body);
        const find = async (now: RequestContext) => {
          const stored = read ?? (await affected.one(target, now, writeOptions));
          // Should the commit come too late, the next attempt reads for itself.
          read = undefined;
          return [stored];
        };
        return update({ collection, fields: parseFields(collection, body), find }, context, writeOptions);
      });
    },

    async updateByQuery(collection, body, context, writeOptions) {
      await assertStorable(body);
      const query = parseQuery(body);
      const find = (now: RequestContext) => affected.matching({ collection, query }, now, {});
      return update({ collection, fields: parseUpdate(body), find }, context, writeOptions);
    },
  };
}
