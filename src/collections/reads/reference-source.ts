// The Reference fields of a collection, and where the documents behind their ids are read.
import { AppError } from '../../errors/errors.ts';
import { memberName } from '../../lib/json/stored-json.ts';
import type { Projection } from '../../stores/ports.ts';
import {
  type Collection,
  type CollectionRegistry,
  type Field,
  referenceFields,
  referenceTarget,
} from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import type { ReferenceName } from './composed-documents.ts';
import { outermostPaths, resolveFields, withVisibleId } from './resolve-read.ts';

/** Where the documents behind the ids of a field are read. */
export interface ReferenceSource {
  readonly target: Collection;
  /** Always shows `_id`: an object sent back without one would be a new document. */
  readonly projection: Projection | undefined;
  /** The references of these documents are resolved too. */
  readonly isRecursive: boolean;
  /** The same for sources that one query serves. */
  readonly key: string;
}

/** Makes the function that finds the Reference fields of a collection by their names as JSON text. */
export function createReferenceNames(): (collection: Collection) => readonly ReferenceName[] {
  // A collection is replaced whole when its specification changes.
  const known = new WeakMap<Collection, readonly ReferenceName[]>();
  return (collection) => {
    const found = known.get(collection);
    if (found !== undefined) return found;
    const names = referenceFields(collection).map((field) => ({ ...memberName(field.name), field }));
    known.set(collection, names);
    return names;
  };
}

interface SourceContext {
  /** The collection that was asked for. */
  readonly root: Collection;
  readonly context: Pick<RequestContext, 'caller'>;
  /** The references of every document found are resolved too. */
  readonly composeAll: boolean;
}

/** Finds the source of a field. Undefined where it refers to no collection, or to one that the caller may not read. */
export type ResolveSource = (
  field: Field,
  collection: Collection,
  context: SourceContext,
) => ReferenceSource | undefined;

/** The sources of a field for as long as it refers to the same specification. */
interface FieldSources {
  readonly target: Collection;
  readonly recursive: ReferenceSource;
  readonly plain: ReferenceSource;
}

/** Makes the function that finds sources. */
export function createSourceResolver(registry: Pick<CollectionRegistry, 'get'>): ResolveSource {
  const known = new WeakMap<Field, FieldSources>();
  const sourcesOf = (field: Field, target: Collection): FieldSources => {
    const found = known.get(field);
    if (found?.target === target) return found;
    const sources = createSources(field, target);
    known.set(field, sources);
    return sources;
  };
  return (field, collection, { root, context, composeAll }) => {
    const target = referenceTarget(registry, collection, field);
    if (target === undefined || context.caller.access(target).read === null) return undefined;
    try {
      const { recursive, plain } = sourcesOf(field, target);
      return isRecursive(field, { root, target, composeAll }) ? recursive : plain;
    } catch (error) {
      // Limiters that contradict themselves fail the reads of their own collection, not of those that refer to it.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  };
}

function createSources({ reference: { fields } }: Field, target: Collection): FieldSources {
  const shown = fields === undefined ? limiterProjection(target) : { include: outermostPaths(fields) };
  const { projection } = withVisibleId(shown);
  const sourceOf = (recursive: boolean): ReferenceSource => {
    return {
      target,
      projection,
      isRecursive: recursive,
      key: JSON.stringify([target.path, projection, recursive]),
    };
  };
  return { target, recursive: sourceOf(true), plain: sourceOf(false) };
}

/** Whether the references in the documents of `target` that a field refers to are resolved too. */
function isRecursive(
  field: Field,
  { root, target, composeAll }: Pick<SourceContext, 'root' | 'composeAll'> & Pick<ReferenceSource, 'target'>,
): boolean {
  const isComposed = Boolean(root.settings.compose) || Boolean(target.settings.compose);
  return composeAll || field.reference.compose === true || isComposed;
}

const limiterProjection = ({ settings }: Collection) =>
  resolveFields(undefined, settings.fieldLimiters).projection;
