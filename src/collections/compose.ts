// Puts referenced documents in the place of their ids, level by level, with one query per level and collection.
import { AppError } from '../errors.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import { mapInSlices } from '../lib/slices.ts';
import type { DocumentStore, Projection } from '../stores/ports.ts';
import type { Collection, Field } from './collection.ts';
import {
  type Allowance,
  type Found,
  type Frame,
  fillSlot,
  rootFrame,
  type Slot,
  slotOf,
} from './compose-slots.ts';
import type { Context, DocumentLimits } from './documents.ts';
import { chooseFields, pathsOf, withoutHiddenId } from './projection.ts';
import { referenceTarget } from './references.ts';
import type { Registry } from './registry.ts';

// A large document that a whole page refers to is sent once per reference.
const MAX_COMPOSED_CHARACTERS = 64 * 1024 * 1024;

export interface Composer {
  /** Composed copies of `documents`, which must hold their `_id`. What cannot be resolved stays an id. */
  compose(
    collection: Collection,
    documents: readonly JsonObject[],
    context: Context,
  ): Promise<readonly JsonObject[]>;
}

interface ComposerOptions {
  readonly store: Pick<DocumentStore, 'findText'>;
  readonly registry: Pick<Registry, 'get'>;
  readonly limits: Pick<DocumentLimits, 'composeDepth' | 'composeReferences'>;
}

/** Where the ids of some fields lead. */
interface Source {
  readonly target: Collection;
  /** Never without `_id`: an object sent back without one would be a new document. */
  readonly projection: Projection | undefined;
  /** The references of the documents found are resolved too. */
  readonly deeper: boolean;
}

/** The slots of one level that one query serves. Without a source their ids stay. */
interface Batch {
  readonly source: Source | undefined;
  readonly slots: Slot[];
}

export function createComposer({ store, registry, limits }: ComposerOptions): Composer {
  const fetch = async ({ target, projection }: Source, ids: readonly string[], { deadline }: Context) => {
    const filter = { kind: 'field' as const, path: '_id', tests: [{ kind: 'in' as const, values: ids }] };
    const query = { filter, sort: [], skip: 0, limit: ids.length, ...(projection && { projection }) };
    const texts = await store.findText(target.namespace, query, { deadline });
    const found = await mapInSlices(texts, (text): [string, Found] => {
      const document = JSON.parse(text) as JsonObject;
      return [String(document['_id']), { document, characters: text.length }];
    });
    return new Map(found);
  };

  const resolve = async ({ source, slots }: Batch, allowance: Allowance, context: Context) => {
    const ids = new Set(slots.flatMap((slot) => slot.entries.flatMap(({ id }) => id ?? [])));
    const found = source && ids.size > 0 ? await fetch(source, [...ids], context) : new Map<string, Found>();
    const next: Frame[] = [];
    await mapInSlices(slots, (slot) => {
      for (const document of fillSlot(slot, found, allowance)) {
        const trail = { id: document['_id'], above: slot.frame.trail };
        if (source?.deeper === true) next.push({ document, collection: source.target, trail });
      }
    });
    return next;
  };

  return {
    async compose(root, documents, context) {
      const allowance = { references: limits.composeReferences, characters: MAX_COMPOSED_CHARACTERS };
      const copies = await mapInSlices(documents, (document): Record<string, Json> => ({ ...document }));
      let frames: readonly Frame[] = copies.map((document) => rootFrame(root, document));
      for (let level = 1; level <= limits.composeDepth && frames.length > 0; level += 1) {
        const batches = await batchesOf(frames, allowance, (collection, field) =>
          sourceOf(field, { root, collection, registry, context }),
        );
        const next: Frame[] = [];
        for (const batch of batches) next.push(...(await resolve(batch, allowance, context)));
        frames = next;
      }
      return copies;
    },
  };
}

async function batchesOf(
  frames: readonly Frame[],
  allowance: Allowance,
  lead: (collection: Collection, field: Field) => Source | undefined,
): Promise<Iterable<Batch>> {
  const byField = new Map<Field, Batch>();
  const bySource = new Map<string, Batch>();
  const batchFor = (collection: Collection, field: Field) => {
    const known = byField.get(field);
    if (known !== undefined) return known;
    const source = lead(collection, field);
    const key = source && JSON.stringify([source.target.path, source.projection, source.deeper]);
    const batch = bySource.get(key ?? '') ?? { source, slots: [] };
    bySource.set(key ?? '', batch);
    byField.set(field, batch);
    return batch;
  };
  await mapInSlices(frames, (frame) => {
    for (const field of frame.collection.fields.values()) {
      if (field.type !== 'Reference' || !Object.hasOwn(frame.document, field.name)) continue;
      const batch = batchFor(frame.collection, field);
      const slot = slotOf(frame, field, batch.source && allowance);
      if (slot !== undefined) batch.slots.push(slot);
    }
  });
  return bySource.values();
}

interface Surroundings {
  readonly root: Collection;
  readonly collection: Collection;
  readonly registry: Pick<Registry, 'get'>;
  readonly context: Context;
}

/** Undefined where the field leads nowhere, or where the caller may not read. */
function sourceOf(field: Field, { root, collection, registry, context }: Surroundings): Source | undefined {
  const target = referenceTarget(registry, collection, field);
  if (target === undefined || !context.caller.may(target, 'GET')) return undefined;
  const { fields: own, compose = false } = field.reference;
  const deeper = compose || root.settings.compose || target.settings.compose;
  try {
    const projection = own === undefined ? limitersOf(target) : { include: pathsOf(own) };
    return { target, deeper, projection: withoutHiddenId(projection).projection };
  } catch (error) {
    // Limiters that contradict themselves fail the reads of their own collection, not of those that refer to it.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const limitersOf = ({ settings }: Collection) => chooseFields(undefined, settings.fieldLimiters).projection;
