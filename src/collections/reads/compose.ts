// Composes documents: replaces ids by the documents they refer to, level by level, with one query per level and collection.
import { AppError } from '../../errors/errors.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import { documentsById } from '../../lib/document-id.ts';
import { forEachMember } from '../../lib/json/json-members.ts';
import { filterByIds } from '../../stores/filter.ts';
import type { DocumentStore, Projection } from '../../stores/ports.ts';
import type { Collection, Field } from '../model/collection.ts';
import type { DocumentLimits, RequestContext } from '../model/documents.ts';
import type { ComposeDepth } from '../model/read-parameters.ts';
import { type CollectionRegistry, referenceFields, referenceTarget } from '../model/registry.ts';
import {
  type CompositionNode,
  type CompositionQuota,
  createChildNode,
  createReferencePlaceholder,
  createRootNode,
  fillPlaceholder,
  type Placeholder,
  renderNode,
} from './composition-nodes.ts';
import type { HistoryLoader } from './history-loader.ts';
import { outermostPaths, resolveFields, withVisibleId } from './read-options.ts';

// A large document that a whole page refers to is sent once per reference.
const MAX_COMPOSED_CHARACTERS = 64 * 1024 * 1024;

const NO_DOCUMENTS: ReadonlyMap<string, string> = new Map();

export interface Composer {
  /** Composes `documents`, which must have their `_id`. What cannot be resolved stays an id. */
  compose(
    collection: Collection,
    documents: readonly string[],
    context: RequestContext,
    levels: Exclude<ComposeDepth, false>,
  ): Promise<readonly string[]>;
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

export function createComposer({ store, histories, registry, limits }: ComposerDeps): Composer {
  const fetchStored = async (
    { target, projection }: ReferenceSource,
    ids: readonly string[],
    deadline: number,
  ) => {
    if (projection === undefined) return store.findByIds(target.namespace, ids, { deadline });
    const query = { filter: filterByIds(ids), sort: [], skip: 0, limit: ids.length, projection };
    return documentsById(await store.findText(target.namespace, query, { deadline }));
  };

  const fetch = async (source: ReferenceSource, ids: readonly string[], deadline: number) => {
    const found = await fetchStored(source, ids, deadline);
    const stored = [...found.values()];
    const complete = await histories.completeHistories(source.target, stored, { deadline });
    return complete === stored ? found : documentsById(complete);
  };

  /** Fills the placeholders of a batch. Returns the new nodes whose references the next level resolves. */
  const resolve = async (
    { source, placeholders }: ReferenceBatch,
    quota: CompositionQuota,
    { deadline }: RequestContext,
  ) => {
    const ids = new Set<string>();
    for (const { entries } of placeholders) for (const { id } of entries) if (id !== undefined) ids.add(id);
    const found = source && ids.size > 0 ? await fetch(source, [...ids], deadline) : NO_DOCUMENTS;
    const next: CompositionNode[] = [];
    await mapYielding(placeholders, (placeholder) => {
      fillPlaceholder(placeholder, found, {
        quota,
        createContent(id, text) {
          if (source?.isRecursive !== true) return text;
          const node = createChildNode(source.target, text, { id, parent: placeholder.node });
          next.push(node);
          return node;
        },
      });
    });
    return next;
  };

  return {
    async compose(root, documents, context, levels) {
      const depth = typeof levels === 'number' ? Math.min(levels, limits.composeDepth) : limits.composeDepth;
      const composeAll = levels !== true;
      const quota = { references: limits.composeReferences, characters: MAX_COMPOSED_CHARACTERS };
      const roots = await mapYielding(documents, (text) => createRootNode(root, text));
      let nodes: readonly CompositionNode[] = roots;
      for (let level = 1; level <= depth && nodes.length > 0; level += 1) {
        const batches = await groupBySource(nodes, quota, (collection, field) =>
          resolveSource(field, { root, collection, registry, context, composeAll }),
        );
        const next: CompositionNode[] = [];
        for (const batch of batches) next.push(...(await resolve(batch, quota, context)));
        nodes = next;
      }
      return mapYielding(roots, renderNode);
    },
  };
}

/** The Reference fields of a collection by their names as JSON text. */
function referencesByName(collection: Collection): ReadonlyMap<string, Field> {
  return new Map(referenceFields(collection).map((field) => [JSON.stringify(field.name), field]));
}

async function groupBySource(
  nodes: readonly CompositionNode[],
  quota: CompositionQuota,
  resolve: (collection: Collection, field: Field) => ReferenceSource | undefined,
): Promise<Iterable<ReferenceBatch>> {
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
  const references = new Map<Collection, ReadonlyMap<string, Field>>();
  await mapYielding(nodes, (node) => {
    const fields = references.get(node.collection) ?? referencesByName(node.collection);
    references.set(node.collection, fields);
    forEachMember(node.text, fields, (field, span) => {
      const batch = batchFor(node.collection, field);
      const placeholder = createReferencePlaceholder(node, { field, span }, batch.source && quota);
      if (placeholder !== undefined) batch.placeholders.push(placeholder);
    });
  });
  return bySource.values();
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
