// A plain, slow composition over parsed documents: what the real one must give, to the byte.
import {
  type Collection,
  type CollectionRegistry,
  type Field,
  referenceFields,
} from '../../../src/collections/model/collection.ts';
import type { RequestContext } from '../../../src/collections/model/documents.ts';
import type { ComposeLevels } from '../../../src/collections/reads/compose.ts';
import {
  createSourceResolver,
  type ReferenceSource,
} from '../../../src/collections/reads/reference-source.ts';
import { isId } from '../../../src/lib/ids.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';

export interface ModelOptions {
  readonly root: Collection;
  readonly registry: CollectionRegistry;
  readonly context: RequestContext;
  readonly levels: ComposeLevels;
  readonly limits: { readonly composeDepth: number; readonly composeReferences: number };
  /** The texts of documents by their ids. */
  readonly read: (source: ReferenceSource, ids: readonly string[]) => ReadonlyMap<string, string>;
}

/** An id, or another element of a list, and what replaces it. */
interface Slot {
  readonly raw: Json;
  content?: string | Item;
}

interface Item {
  readonly document: JsonObject;
  readonly collection: Collection;
  readonly id: Json | undefined;
  readonly parent: Item | undefined;
  readonly slots: Map<string, { readonly order: number; readonly slots: Slot | readonly Slot[] }>;
}

interface Batch {
  readonly order: number;
  readonly source: ReferenceSource | undefined;
  readonly waiting: { readonly slot: Slot; readonly id: string; readonly item: Item }[];
}

/** Composes documents. */
export function composeByModel(texts: readonly string[], options: ModelOptions): readonly string[] {
  const { root, registry, context, levels, limits, read } = options;
  const resolveSource = createSourceResolver(registry);
  const composeAll = levels !== true;
  let allowed = limits.composeReferences;

  const addItem = (
    text: string,
    { collection, id, parent }: Pick<Item, 'collection' | 'parent'> & { readonly id?: string },
    batches: Map<string, Batch>,
  ): Item => {
    const document = JSON.parse(text) as JsonObject;
    const item: Item = { document, collection, id: id ?? document['_id'], parent, slots: new Map() };
    const fields = referenceFields(collection).filter(({ name }) => Object.hasOwn(document, name));
    const rank = ({ name }: Field) => Object.keys(document).indexOf(name);
    // A document in which no other brace stands has its references in the order of the specification.
    if (text.includes('{', 1)) fields.sort((a, b) => rank(a) - rank(b));
    for (const field of fields) {
      const source = resolveSource(field, collection, { root, context, composeAll });
      const key = source?.key ?? '';
      const batch = batches.get(key) ?? { order: batches.size, source, waiting: [] };
      batches.set(key, batch);
      const value = document[field.name]!;
      const toSlot = (raw: Json): Slot => {
        const slot: Slot = { raw };
        if (!isId(raw) || source === undefined || allowed === 0) return slot;
        for (let at: Item | undefined = item; at !== undefined; at = at.parent) {
          if (at.id === raw.toLowerCase() && at.collection.name === source.target.name) return slot;
        }
        allowed -= 1;
        batch.waiting.push({ slot, id: raw.toLowerCase(), item });
        return slot;
      };
      if (Array.isArray(value)) {
        const elements = value.filter((raw: Json) => raw !== null);
        item.slots.set(field.name, { order: batch.order, slots: elements.map(toSlot) });
      } else if (isId(value)) {
        item.slots.set(field.name, { order: batch.order, slots: toSlot(value) });
      }
    }
    return item;
  };

  let batches = new Map<string, Batch>();
  const items = texts.map((text) => addItem(text, { collection: root, parent: undefined }, batches));
  const depth = typeof levels === 'number' ? Math.min(levels, limits.composeDepth) : limits.composeDepth;
  for (let level = 1; level <= depth; level += 1) {
    const next = new Map<string, Batch>();
    for (const { source, waiting } of batches.values()) {
      if (source === undefined || waiting.length === 0) continue;
      const found = read(
        source,
        waiting.map(({ id }) => id),
      );
      for (const { slot, id, item } of waiting) {
        const text = found.get(id);
        const isDeeper = source.isRecursive && level < depth;
        if (text === undefined || !isDeeper) Object.assign(slot, text === undefined ? {} : { content: text });
        else slot.content = addItem(text, { collection: source.target, id, parent: item }, next);
      }
    }
    batches = next;
  }
  return items.map(render);
}

function render({ document, slots }: Item): string {
  const composed: JsonObject = Object.fromEntries(
    [...slots]
      .toSorted(([, a], [, b]) => a.order - b.order)
      .flatMap(([name, { slots: value }]): [string, Json][] => {
        if (!Array.isArray(value)) return [[name, (value as Slot).raw]];
        const ids = (value as readonly Slot[]).map(({ raw }) => raw).filter(isId);
        return ids.length === 0 ? [] : [[name, ids]];
      }),
  );
  const isAdded = Object.keys(composed).length > 0;
  const members = Object.entries(document).map(([name, value]) => {
    const slot = slots.get(name)?.slots;
    if (slot !== undefined) return [name, renderSlots(slot)];
    if (name !== 'composed' || !isAdded) return [name, JSON.stringify(value)];
    return [name, JSON.stringify({ ...(value as JsonObject), ...composed })];
  });
  if (isAdded && !Object.hasOwn(document, 'composed')) members.push(['composed', JSON.stringify(composed)]);
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

function renderSlots(slots: Slot | readonly Slot[]): string {
  if (Array.isArray(slots)) return `[${slots.map(renderSlots).join(',')}]`;
  const { raw, content } = slots as Slot;
  if (content === undefined) return JSON.stringify(raw);
  return typeof content === 'string' ? content : render(content);
}
