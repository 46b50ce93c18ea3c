// What creating and updating share: validation of the whole tree, one commit, and the answer.
import type { ErrorItem } from '../../errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import type { DocumentHooks } from '../hooks/document-hooks.ts';
import { openHookSession } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import type { DocumentLimits, RequestContext, WriteOptions } from '../model/documents.ts';
import type { Registry } from '../model/registry.ts';
import type { Composer } from '../reads/compose.ts';
import type { HistoryLoader } from '../reads/history-loader.ts';
import { toOperationOptions } from '../reads/reader.ts';
import type { WriteMode } from '../validation/validate-document.ts';
import type { Validator } from '../validation/validator.ts';
import { withAnswerDeadline } from './answer.ts';
import { commitWithRetry, type WriteOrigin } from './commit-errors.ts';
import { assertValid } from './request-body.ts';
import { extractSubDocuments, type SubDocument, type SubDocumentQuota } from './sub-documents/extract.ts';
import { planSubDocuments } from './sub-documents/plan.ts';
import { createWritePlan, type WritePlan, type Written } from './write-plan.ts';

export interface WriterDeps {
  readonly store: Pick<DocumentStore, 'findText' | 'commit'>;
  readonly registry: Pick<Registry, 'get' | 'isRevisionCollection' | 'holdsRecords'>;
  readonly histories: HistoryLoader;
  readonly composer: Composer;
  readonly validator: Validator;
  readonly limits: Pick<DocumentLimits, 'composeDepth'>;
  readonly newId: () => string;
  readonly now: () => number;
  readonly hooks: DocumentHooks;
}

/** Where a body goes. */
interface Target {
  readonly collection: Collection;
  readonly mode: WriteMode;
  readonly origin: WriteOrigin;
  /** Shared by all bodies of a request. */
  readonly room: SubDocumentQuota;
}

/** A body, taken apart and validated but for what depends on stored documents. */
export interface Prepared {
  readonly fields: JsonObject;
  readonly origin: WriteOrigin;
  readonly subDocuments: readonly SubDocument[];
  readonly items: readonly ErrorItem[];
  /** For an update, see `settleUndeclared`. */
  readonly undeclared: readonly string[];
}

/** What an attempt has planned, and what is wrong with the bodies. */
interface Attempted<T> {
  readonly planned: T;
  readonly items: readonly ErrorItem[];
}

export interface Writer {
  /** Throws NOT_PERMITTED; everything else that is wrong is in `items`. */
  prepare(target: Target, body: JsonObject, context: RequestContext): Promise<Prepared>;
  /**
   * Runs `attempt` on a plan to which the sub-documents are added, and commits it. Throws DOCUMENT_INVALID where
   * anything is wrong. Rejects with a StoreError `conflict` where someone else came first.
   */
  commitOnce<T>(
    prepared: readonly Prepared[],
    attempt: (plan: WritePlan) => Promise<Attempted<T>>,
    context: RequestContext,
  ): Promise<Committed<T>>;
  /** The same, again where someone else came first. */
  commit: Writer['commitOnce'];
  /** The documents as the answer shows them, or as they are stored when that takes too long. */
  answer(
    collection: Collection,
    written: readonly Written[],
    options: WriteOptions & { readonly carried: boolean; readonly context: RequestContext },
  ): Promise<readonly string[]>;
}

interface Committed<T> {
  readonly planned: T;
  readonly updated: readonly Written[];
}

/** True when a body held sub-documents: the answer then shows them. */
export function hasSubDocuments(prepared: readonly Prepared[]): boolean {
  return prepared.some(({ subDocuments }) => subDocuments.length > 0);
}

const isHooked = ({ collection }: SubDocument) => collection.settings.hooks !== null;

export function createWriter(options: WriterDeps): Writer {
  const { store, registry, histories, composer, validator, limits, newId, now, hooks } = options;

  const commitOnce: Writer['commitOnce'] = async (prepared, attempt, asked) => {
    const subDocuments = prepared.flatMap((one) => one.subDocuments);
    using session = subDocuments.some(isHooked) ? openHookSession({ hooks, now }, asked) : undefined;
    const context = session?.context ?? asked;
    const plan = createWritePlan({ at: now(), by: context.caller.name }, newId);
    const { planned, items } = await attempt(plan);
    // A query without a match leaves nothing that sub-documents could belong to.
    const isIdle = plan.isEmpty();
    const nested = await planSubDocuments(subDocuments, plan, { store, validator, context, session });
    assertValid([...items, ...nested]);
    if (isIdle) return { planned, updated: [] };
    const { writes, updated, afterHookEvents: happenings, explain } = await plan.finish();
    try {
      await store.commit(writes, toOperationOptions(context));
    } catch (error) {
      throw explain(error);
    }
    if (happenings.length > 0) hooks.runBehind(happenings, asked);
    return { planned, updated };
  };

  return {
    async prepare({ collection, mode, origin, room }, body, { caller }) {
      const flat = extractSubDocuments(collection, body, { registry, limits, newId, caller, origin, room });
      const checked = await validator.validate(collection, flat.fields, { mode, origin });
      const items = flat.items.length === 0 ? checked.items : [...checked.items, ...flat.items];
      const { document: fields, undeclared } = checked;
      return { fields, origin, subDocuments: flat.subDocuments, items, undeclared };
    },

    commitOnce,

    commit: (prepared, attempt, context) =>
      commitWithRetry(() => commitOnce(prepared, attempt, context), { context, now }),

    async answer(collection, written, { compose, carried, context }) {
      const stored = written.map(({ text }) => text);
      const composes = compose ?? (carried || collection.settings.compose);
      const show = async (later: RequestContext) => {
        const texts = await histories.completeHistories(collection, stored, later);
        return composes ? composer.compose(collection, texts, later, composes) : texts;
      };
      return (await withAnswerDeadline(show, { context, now })) ?? stored;
    },
  };
}
