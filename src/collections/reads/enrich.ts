// Documents that do not go to the socket as they are stored: revisions and referenced documents are put into them.

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

/** What an answer is to show. */
export interface ReadView {
  readonly projection: Projection | undefined;
  readonly compose: Depth;
  /** The revisions to put in, and what to show of them; undefined leaves their ids. */
  readonly revisions: { readonly filter: Filter; readonly projection: Projection | undefined } | undefined;
  /** The documents may have more revisions than they hold ids of. */
  readonly histories: boolean;
}

export interface Enricher {
  /** The projection to read with, so that `apply` finds in the documents what it needs. */
  storeProjection(view: ReadView): Projection | undefined;
  enrich(
    collection: Collection,
    documents: readonly string[],
    view: ReadView,
    context: RequestContext,
  ): Promise<readonly string[]>;
}

interface EnricherDeps {
  readonly store: Pick<DocumentStore, 'findText'>;
  readonly historyLoader: HistoryLoader;
  readonly composer: Composer;
  readonly maxRevisions: number;
}

/** True when documents can be passed on as the text that the store holds, but for ids of revisions. */
export function needsNoEnrichment(view: ReadView): boolean {
  const { projection, histories } = view;
  const needsId = histories && includesField(projection, 'history') && !includesField(projection, '_id');
  return !view.compose && view.revisions === undefined && !needsId;
}

export function createEnricher({
  store,
  historyLoader: histories,
  composer,
  maxRevisions: limit,
}: EnricherDeps): Enricher {
  return {
    storeProjection(view) {
      if (needsNoEnrichment(view)) return view.projection;
      const { projection } = withVisibleId(view.projection);
      if (view.revisions === undefined || projection?.include === undefined) return projection;
      return { ...projection, include: [...projection.include, 'history'] };
    },
    async enrich(collection, stored, view, context) {
      const documents = await histories.completeHistories(collection, stored, context);
      if (needsNoEnrichment(view)) return documents;
      const { hideId } = withVisibleId(view.projection);
      const include = view.revisions && {
        store,
        limit,
        filter: view.revisions.filter,
        ...withVisibleId(view.revisions.projection),
      };
      const historic = include ? await embedRevisions(collection, documents, include, context) : documents;
      const composed = view.compose
        ? await composer.compose(collection, historic, context, view.compose)
        : historic;
      return hideId ? mapYielding(composed, withoutId) : composed;
    },
  };
}

async function embedRevisions(
  collection: Collection,
  documents: readonly string[],
  include: Parameters<typeof includeRevisions>[2],
  context: RequestContext,
): Promise<readonly string[]> {
  const parsed = await mapYielding(documents, parseStoredJson<JsonObject>);
  const historic = await includeRevisions(collection, parsed, include, context);
  return mapYielding(historic, (document) => JSON.stringify(document));
}

function withoutId(text: string): string {
  const { _id, ...rest } = parseStoredJson(text);
  return JSON.stringify(rest);
}
