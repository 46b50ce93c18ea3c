// Puts referenced documents in the place of their ids, level by level, with one query per level and collection.
import { AppError } from '../../errors.ts';
import { findMembers } from '../../lib/json-members.ts';
import type { Levels } from '../../lib/levels.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { DocumentStore, Projection } from '../../stores/ports.ts';
import type { Collection, Field } from '../collection.ts';
import type { Context, DocumentLimits } from '../documents.ts';
import { referenceTarget } from '../references.ts';
import type { Registry } from '../registry.ts';
import {
  type Allowance,
  type Frame,
  fillSlot,
  idIn,
  innerFrame,
  rootFrame,
  type Slot,
  slotOf,
  textOf,
} from './compose-slots.ts';
import type { Histories } from './histories.ts';
import { chooseFields, pathsOf, withoutHiddenId } from './projection.ts';

// A large document that a whole page refers to is sent once per reference.
const MAX_COMPOSED_CHARACTERS = 64 * 1024 * 1024;

const NOTHING: ReadonlyMap<string, string> = new Map();

export interface Composer {
  /** `documents`, which must hold their `_id`, composed. What cannot be resolved stays an id. */
  compose(
    collection: Collection,
    documents: readonly string[],
    context: Context,
    levels: Exclude<Levels, false>,
  ): Promise<readonly string[]>;
}

interface ComposerOptions {
  readonly store: Pick<DocumentStore, 'findText'>;
  readonly histories: Histories;
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

export function createComposer({ store, histories, registry, limits }: ComposerOptions): Composer {
  const fetch = async ({ target, projection }: Source, ids: readonly string[], deadline: number) => {
    const filter = { kind: 'field' as const, path: '_id', tests: [{ kind: 'in' as const, values: ids }] };
    const query = { filter, sort: [], skip: 0, limit: ids.length, ...(projection && { projection }) };
    const stored = await store.findText(target.namespace, query, { deadline });
    const texts = await histories.complete(target, stored, { deadline });
    const found = new Map<string, string>();
    await mapInSlices(texts, (text) => {
      const id = idIn(text);
      if (id !== undefined) found.set(id, text);
    });
    return found;
  };

  /** Fills the slots of a batch. Returns the documents put there whose own references are next. */
  const resolve = async ({ source, slots }: Batch, allowance: Allowance, { deadline }: Context) => {
    const ids = new Set<string>();
    for (const { entries } of slots) for (const { id } of entries) if (id !== undefined) ids.add(id);
    const found = source && ids.size > 0 ? await fetch(source, [...ids], deadline) : NOTHING;
    const next: Frame[] = [];
    await mapInSlices(slots, (slot) => {
      fillSlot(slot, found, {
        allowance,
        enter(id, text) {
          if (source?.deeper !== true) return text;
          const frame = innerFrame(source.target, text, { id, above: slot.frame });
          next.push(frame);
          return frame;
        },
      });
    });
    return next;
  };

  return {
    async compose(root, documents, context, levels) {
      const depth = typeof levels === 'number' ? Math.min(levels, limits.composeDepth) : limits.composeDepth;
      const everywhere = levels !== true;
      const allowance = { references: limits.composeReferences, characters: MAX_COMPOSED_CHARACTERS };
      const roots = await mapInSlices(documents, (text) => rootFrame(root, text));
      let frames: readonly Frame[] = roots;
      for (let level = 1; level <= depth && frames.length > 0; level += 1) {
        const batches = await batchesOf(frames, allowance, (collection, field) =>
          sourceOf(field, { root, collection, registry, context, everywhere }),
        );
        const next: Frame[] = [];
        for (const batch of batches) next.push(...(await resolve(batch, allowance, context)));
        frames = next;
      }
      return mapInSlices(roots, textOf);
    },
  };
}

/** The Reference fields of a collection by their names as JSON text. */
function referencesOf({ fields }: Collection): ReadonlyMap<string, Field> {
  const references = [...fields.values()].filter(({ type }) => type === 'Reference');
  return new Map(references.map((field) => [JSON.stringify(field.name), field]));
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
  const references = new Map<Collection, ReadonlyMap<string, Field>>();
  await mapInSlices(frames, (frame) => {
    const fields = references.get(frame.collection) ?? referencesOf(frame.collection);
    references.set(frame.collection, fields);
    for (const [field, span] of findMembers(frame.text, fields)) {
      const batch = batchFor(frame.collection, field);
      const slot = slotOf(frame, { field, span }, batch.source && allowance);
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
  /** Resolve the references of whatever is found, too. */
  readonly everywhere: boolean;
}

/** Undefined where the field leads nowhere, or where the caller may not read. */
function sourceOf(
  field: Field,
  { root, collection, registry, context, everywhere }: Surroundings,
): Source | undefined {
  const target = referenceTarget(registry, collection, field);
  if (target === undefined || !context.caller.may(target, 'GET')) return undefined;
  const { fields: own, compose = false } = field.reference;
  const deeper = everywhere || compose || root.settings.compose || target.settings.compose;
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
