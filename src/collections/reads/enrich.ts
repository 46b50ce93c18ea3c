// Turns stored documents into the documents of a response: complete histories, revisions, composition, hidden ids.
import { andThen, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import type { Depth } from '../../lib/depth.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import type { Filter } from '../../stores/filter.ts';
import type { DocumentStore, Projection } from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import type { Composer } from './compose.ts';
import type { HistoryLoader } from './history-loader.ts';
import { includesField, withVisibleId } from './projection.ts';
import { includeRevisions } from './revisions.ts';

interface ViewOptions {
  /** The fields that the response shows. */
  readonly projection: Projection | undefined;
  readonly compose: Depth;
  /** The revisions that replace their ids, and the fields to show of them; undefined leaves the ids. */
  readonly revisions: { readonly filter: Filter; readonly projection: Projection | undefined } | undefined;
  /** The documents may have more revisions than they hold ids of. */
  readonly storeRevisions: boolean;
}

/** What to read and what to make of it. */
export interface ReadView extends Pick<ViewOptions, 'compose' | 'revisions'> {
  /** The fields to read: those that the response shows, and those that the steps below need. */
  readonly projection: Projection | undefined;
  /** `_id` was read for the steps below only. */
  readonly hideId: boolean;
  /** The documents are shown as they are stored, but for long histories. */
  readonly isPlain: boolean;
}

/** Resolves the view. Plain views read what the response shows, so that the text of the store passes unparsed. */
export function createReadView({ projection, compose, revisions, storeRevisions }: ViewOptions): ReadView {
  const needsId = storeRevisions && includesField(projection, 'history');
  if (!compose && revisions === undefined && !needsId) {
    return { projection, compose, revisions, hideId: false, isPlain: true };
  }
  const { projection: visible, hideId } = withVisibleId(projection);
  const needsHistory = revisions !== undefined && visible?.include !== undefined;
  return {
    projection: needsHistory ? { ...visible, include: [...visible.include, 'history'] } : visible,
    compose,
    revisions,
    hideId,
    isPlain: false,
  };
}

/** Turns the stored documents, as JSON text, into those of the response. */
export type Enrich = (
  collection: Collection,
  stored: readonly string[],
  view: ReadView,
  context: RequestContext,
) => MaybePromise<readonly string[]>;

interface EnrichDeps {
  readonly store: Pick<DocumentStore, 'findText'>;
  readonly histories: HistoryLoader;
  readonly composer: Composer;
  readonly maxRevisions: number;
}

export function createEnrich({ store, histories, composer, maxRevisions }: EnrichDeps): Enrich {
  const embedRevisions = async (
    collection: Collection,
    documents: readonly string[],
    { filter, projection }: NonNullable<ReadView['revisions']>,
    context: RequestContext,
  ) => {
    const parsed = await mapYielding(documents, parseStoredJson<JsonObject>);
    const options = { store, limit: maxRevisions, filter, ...withVisibleId(projection) };
    const embedded = await includeRevisions(collection, parsed, options, context);
    return mapYielding(embedded, (document) => JSON.stringify(document));
  };

  return (collection, stored, { compose, revisions, hideId }, context) => {
    const complete = histories.completeHistories(collection, stored, context);
    const embedded = andThen(complete, (texts) =>
      revisions === undefined ? texts : embedRevisions(collection, texts, revisions, context),
    );
    const composed = andThen(embedded, (texts) =>
      compose ? composer.compose(collection, texts, context, compose) : texts,
    );
    return andThen(composed, (texts) => (hideId ? mapYielding(texts, withoutId) : texts));
  };
}

function withoutId(text: string): string {
  const { _id, ...rest } = parseStoredJson(text);
  return JSON.stringify(rest);
}
