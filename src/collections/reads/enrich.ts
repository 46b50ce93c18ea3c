// Documents that do not go to the socket as they are stored: revisions and referenced documents are put into them.
import type { JsonObject } from '../../lib/json.ts';
import type { Levels } from '../../lib/levels.ts';
import { mapInSlices } from '../../lib/slices.ts';
import { parseStored } from '../../lib/stored-json.ts';
import type { Filter } from '../../stores/filter.ts';
import type { DocumentStore, Projection } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context } from '../documents.ts';
import { includeRevisions } from '../revisions.ts';
import type { Composer } from './compose.ts';
import type { Histories } from './histories.ts';
import { shows, withoutHiddenId } from './projection.ts';

/** What an answer is to show. */
export interface View {
  readonly projection: Projection | undefined;
  readonly compose: Levels;
  /** The revisions to put in, and what to show of them; undefined leaves their ids. */
  readonly revisions: { readonly filter: Filter; readonly projection: Projection | undefined } | undefined;
  /** The documents may have more revisions than they hold ids of. */
  readonly histories: boolean;
}

export interface Enricher {
  /** The projection to read with, so that `apply` finds in the documents what it needs. */
  projectionFor(view: View): Projection | undefined;
  apply(
    collection: Collection,
    documents: readonly string[],
    view: View,
    context: Context,
  ): Promise<readonly string[]>;
}

interface EnricherOptions {
  readonly store: Pick<DocumentStore, 'findText'>;
  readonly histories: Histories;
  readonly composer: Composer;
  readonly maxRevisions: number;
}

/** True when documents can be passed on as the text that the store holds, but for ids of revisions. */
export function isPlain(view: View): boolean {
  const { projection, histories } = view;
  const needsId = histories && shows(projection, 'history') && !shows(projection, '_id');
  return !view.compose && view.revisions === undefined && !needsId;
}

export function createEnricher({
  store,
  histories,
  composer,
  maxRevisions: limit,
}: EnricherOptions): Enricher {
  return {
    projectionFor(view) {
      if (isPlain(view)) return view.projection;
      const { projection } = withoutHiddenId(view.projection);
      if (view.revisions === undefined || projection?.include === undefined) return projection;
      return { ...projection, include: [...projection.include, 'history'] };
    },
    async apply(collection, stored, view, context) {
      const documents = await histories.complete(collection, stored, context);
      if (isPlain(view)) return documents;
      const { hideId } = withoutHiddenId(view.projection);
      const include = view.revisions && {
        store,
        limit,
        filter: view.revisions.filter,
        ...withoutHiddenId(view.revisions.projection),
      };
      const historic = include ? await withRevisions(collection, documents, include, context) : documents;
      const composed = view.compose
        ? await composer.compose(collection, historic, context, view.compose)
        : historic;
      return hideId ? mapInSlices(composed, withoutId) : composed;
    },
  };
}

async function withRevisions(
  collection: Collection,
  documents: readonly string[],
  include: Parameters<typeof includeRevisions>[2],
  context: Context,
): Promise<readonly string[]> {
  const parsed = await mapInSlices(documents, parseStored<JsonObject>);
  const historic = await includeRevisions(collection, parsed, include, context);
  return mapInSlices(historic, (document) => JSON.stringify(document));
}

function withoutId(text: string): string {
  const { _id, ...rest } = parseStored(text);
  return JSON.stringify(rest);
}
