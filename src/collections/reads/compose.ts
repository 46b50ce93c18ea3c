// Composes documents: replaces ids by the documents they refer to, level by level, with one query per level and collection.
import { AppError } from '../../errors/errors.ts';
import {
  andThen,
  forEachInTurn,
  forEachYielding,
  type MaybePromise,
  mapYielding,
} from '../../lib/async/maybe-promise.ts';
import { documentsById, forEachNamedMember, memberName } from '../../lib/json/stored-json.ts';
import { filterByIds } from '../../stores/filter.ts';
import type { DocumentStore, Projection } from '../../stores/ports.ts';
import {
  type Collection,
  type CollectionRegistry,
  type Field,
  referenceFields,
  referenceTarget,
} from '../model/collection.ts';
import type { DocumentLimits, RequestContext } from '../model/documents.ts';
import type { ComposeDepth } from '../model/read-parameters.ts';
import {
  type CompositionNode,
  type CompositionQuota,
  type CreateContent,
  createChildNode,
  createReferencePlaceholder,
  createRootNode,
  fillPlaceholder,
  type Placeholder,
  type ReferenceName,
  renderNode,
} from './composition-nodes.ts';
import type { HistoryLoader } from './history-loader.ts';
import { outermostPaths, resolveFields, withVisibleId } from './resolve-read.ts';

// A large document that a whole page refers to is sent once per reference.
const MAX_COMPOSED_CHARACTERS = 64 * 1024 * 1024;

type TextsById = ReadonlyMap<string, string>;
const NO_DOCUMENTS: TextsById = new Map();

export interface Composer {
  /** Composes `documents`, which must have their `_id`. What cannot be resolved stays an id. */
  compose(
    collection: Collection,
    documents: readonly string[],
    context: RequestContext,
    levels: Exclude<ComposeDepth, false>,
  ): MaybePromise<readonly string[]>;
  /** The same composer, on another store. */
  readingFrom(store: ComposerDeps['store']): Composer;
}

interface ComposerDeps {
  readonly store: Pick<DocumentStore, 'findText' | 'findByIds'>;
  readonly histories: HistoryLoader;
  readonly registry: Pick<CollectionRegistry, 'get'>;
  readonly limits: Pick<DocumentLimits, 'composeDepth' | 'composeReferences'>;
}

/** Where the documents behind the ids of a field are read. */
interface ReferenceSource {
  readonly target: Collection;
  /** Always shows `_id`: an object sent back without one would be a new document. */
  readonly projection: Projection | undefined;
  /** The references of these documents are resolved too. */
  readonly isRecursive: boolean;
}

/** The placeholders of one level that are filled by one query. Without a source their ids stay. */
interface ReferenceBatch {
  readonly source: ReferenceSource | undefined;
  readonly placeholders: Placeholder[];
}

export function createComposer(deps: ComposerDeps, namesOf = createReferenceNames()): Composer {
  const { store, histories, registry, limits } = deps;

  const fetchStored = (
    { target, projection }: ReferenceSource,
    ids: readonly string[],
    deadline: number,
  ): MaybePromise<TextsById> => {
    if (projection === undefined) return store.findByIds(target.namespace, ids, { deadline });
    const query = { filter: filterByIds(ids), sort: [], skip: 0, limit: ids.length, projection };
    return andThen(store.findText(target.namespace, query, { deadline }), documentsById);
  };

  const fetch = (source: ReferenceSource, ids: readonly string[], deadline: number) =>
    andThen(fetchStored(source, ids, deadline), (found) => {
      const stored = [...found.values()];
      return andThen(histories.completeHistories(source.target, stored, { deadline }), (complete) =>
        complete === stored ? found : documentsById(complete),
      );
    });

  /** Fills the placeholders of a batch. Adds the nodes whose references the next level resolves to `next`. */
  const resolveBatch = (
    { source, placeholders }: ReferenceBatch,
    { quota, deadline, next }: { quota: CompositionQuota; deadline: number; next: CompositionNode[] },
  ): MaybePromise<void> => {
    const ids = new Set<string>();
    for (const { entries } of placeholders) for (const { id } of entries) if (id !== undefined) ids.add(id);
    const createContent: CreateContent = (text, id, parent) => {
      if (source?.isRecursive !== true) return text;
      const node = createChildNode(source.target, text, { id, parent });
      next.push(node);
      return node;
    };
    const fetching = source && ids.size > 0 ? fetch(source, [...ids], deadline) : NO_DOCUMENTS;
    return andThen(fetching, (found) =>
      forEachYielding(placeholders, (placeholder) =>
        fillPlaceholder(placeholder, found, { quota, createContent }),
      ),
    );
  };

  return {
    readingFrom: (other) => createComposer({ ...deps, store: other }, namesOf),
    compose(root, documents, context, levels) {
      const depth = typeof levels === 'number' ? Math.min(levels, limits.composeDepth) : limits.composeDepth;
      const composeAll = levels !== true;
      const { deadline } = context;
      const quota = { references: limits.composeReferences, characters: MAX_COMPOSED_CHARACTERS };
      const resolveLevel = (nodes: readonly CompositionNode[], level: number): MaybePromise<void> => {
        if (level > depth || nodes.length === 0) return undefined;
        const resolve = (collection: Collection, field: Field) =>
          resolveSource(field, { root, collection, registry, context, composeAll });
        const grouping = groupBySource(nodes, quota, { namesOf, resolve });
        const next: CompositionNode[] = [];
        return andThen(grouping, (batches) =>
          andThen(
            forEachInTurn(batches, (batch) => resolveBatch(batch, { quota, deadline, next })),
            () => resolveLevel(next, level + 1),
          ),
        );
      };
      return andThen(
        mapYielding(documents, (text) => createRootNode(root, text)),
        (roots) => andThen(resolveLevel(roots, 1), () => mapYielding(roots, renderNode)),
      );
    },
  };
}

type ReferenceNames = ReadonlyMap<string, ReferenceName>;

/** Makes the function that finds the Reference fields of a collection by their names as JSON text. */
function createReferenceNames(): (collection: Collection) => ReferenceNames {
  // A collection is replaced whole when its specification changes.
  const known = new WeakMap<Collection, ReferenceNames>();
  return (collection) => {
    const found = known.get(collection);
    if (found !== undefined) return found;
    const names = referenceFields(collection).map((field) => ({ ...memberName(field.name), field }));
    const byName = new Map(names.map((name) => [name.quoted, name]));
    known.set(collection, byName);
    return byName;
  };
}

/** How to find references, and where their documents are read. */
interface GroupingDeps {
  readonly namesOf: (collection: Collection) => ReferenceNames;
  readonly resolve: (collection: Collection, field: Field) => ReferenceSource | undefined;
}

function groupBySource(
  nodes: readonly CompositionNode[],
  quota: CompositionQuota,
  { namesOf, resolve }: GroupingDeps,
): MaybePromise<readonly ReferenceBatch[]> {
  const byField = new Map<Field, ReferenceBatch>();
  const bySource = new Map<string, ReferenceBatch>();
  const batchFor = (collection: Collection, field: Field) => {
    const known = byField.get(field);
    if (known !== undefined) return known;
    const source = resolve(collection, field);
    const key = source && JSON.stringify([source.target.path, source.projection, source.isRecursive]);
    const batch = bySource.get(key ?? '') ?? { source, placeholders: [] };
    bySource.set(key ?? '', batch);
    byField.set(field, batch);
    return batch;
  };
  const finding = forEachYielding(nodes, (node) => {
    forEachNamedMember(node.text, namesOf(node.collection), (name, span) => {
      const batch = batchFor(node.collection, name.field);
      const placeholder = createReferencePlaceholder(node, { name, span }, batch.source && quota);
      if (placeholder !== undefined) batch.placeholders.push(placeholder);
    });
  });
  return andThen(finding, () => [...bySource.values()]);
}

interface SourceContext {
  readonly root: Collection;
  readonly collection: Collection;
  readonly registry: Pick<CollectionRegistry, 'get'>;
  readonly context: RequestContext;
  /** Resolve the references of every document found, too. */
  readonly composeAll: boolean;
}

/** Undefined where the field refers to no collection, or to one that the caller may not read. */
function resolveSource(
  field: Field,
  { root, collection, registry, context, composeAll }: SourceContext,
): ReferenceSource | undefined {
  const target = referenceTarget(registry, collection, field);
  if (target === undefined || !context.caller.may(target, 'GET')) return undefined;
  const { fields: shownFields, compose = false } = field.reference;
  const isRecursive = composeAll || compose || root.settings.compose || target.settings.compose;
  try {
    const projection =
      shownFields === undefined ? limiterProjection(target) : { include: outermostPaths(shownFields) };
    return { target, isRecursive, projection: withVisibleId(projection).projection };
  } catch (error) {
    // Limiters that contradict themselves fail the reads of their own collection, not of those that refer to it.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const limiterProjection = ({ settings }: Collection) =>
  resolveFields(undefined, settings.fieldLimiters).projection;
