// Costs of earlier queries by shape. They choose the operation class of the next one and never affect results.
import { LRUCache } from 'lru-cache';
import type { OperationClass } from '../connection/operation-slots.ts';
import type { QueryShape } from './query-shape.ts';

/** Bytes of a short page, which is read beside many others. */
const MAX_SHORT_PAGE_BYTES = 1_048_576;
/** The same for one document: how long it is, is known when it is there. */
const MAX_SHORT_DOCUMENT_BYTES = 4 * MAX_SHORT_PAGE_BYTES;

const MAX_SHAPES = 5000;

/** What one query took. */
interface QueryCost {
  readonly ms: number;
  /** Bytes of the documents, and how many there were. */
  readonly bytes: number;
  readonly documents: number;
}

/** Bytes up to which an answer of this shape is no long page. */
export function maxShortPageBytes({ operationClass }: QueryShape): number {
  return operationClass === 'lookup' ? MAX_SHORT_DOCUMENT_BYTES : MAX_SHORT_PAGE_BYTES;
}

export interface QueryCosts {
  /** The operation class of a query of this shape. */
  classOf(shape: QueryShape): OperationClass;
  /** How many bytes the documents of its answer are expected to have. */
  expectedBytes(shape: QueryShape): number;
  record(shape: QueryShape, cost: QueryCost): void;
}

/** What was costly counts as cheap only after it was cheap several times. */
function blend(known: number, seen: number): number {
  return Math.max(seen, known / 2);
}

/** Creates empty statistics. */
export function createQueryCosts(): QueryCosts {
  const costs = new LRUCache<string, Pick<QueryCost, 'ms' | 'bytes'>>({ max: MAX_SHAPES });
  /** Bytes of a document, by collection. */
  const sizes = new LRUCache<string, number>({ max: MAX_SHAPES });
  const known = ({ key }: QueryShape) => (key === undefined ? undefined : costs.get(key));
  /** Whether a full page would be short, as far as documents of the collection were seen. */
  const isShort = ({ namespace: space, limit }: QueryShape) =>
    (sizes.get(space) ?? MAX_SHORT_PAGE_BYTES) * limit <= MAX_SHORT_PAGE_BYTES;

  return {
    classOf(shape) {
      const cost = known(shape);
      switch (shape.operationClass) {
        case 'lookup':
          return cost !== undefined && cost.bytes > maxShortPageBytes(shape) ? 'page' : 'lookup';
        case 'count':
          return cost !== undefined && cost.ms <= shape.fastMs ? 'query' : 'count';
        default:
          if (cost === undefined) return isShort(shape) ? shape.operationClass : 'scan';
          if (cost.bytes > maxShortPageBytes(shape)) return 'page';
          return cost.ms > shape.fastMs ? 'scan' : 'query';
      }
    },
    expectedBytes: (shape) => known(shape)?.bytes ?? 0,
    record(shape, { ms, bytes, documents }) {
      const { key, namespace: space } = shape;
      const before = known(shape) ?? { ms: 0, bytes: 0 };
      if (key !== undefined) costs.set(key, { ms: blend(before.ms, ms), bytes: blend(before.bytes, bytes) });
      if (documents > 0) sizes.set(space, blend(sizes.get(space) ?? 0, bytes / documents));
    },
  };
}
