// What queries of each kind have cost: it decides in which lane the next one waits, and no answer.
import { LRUCache } from 'lru-cache';
import type { Lane } from '../connection/lanes.ts';
import type { Kind } from './kinds.ts';

/** Bytes of a page that is read beside many others; more is a long page. */
const SHORT_PAGE = 1_048_576;
/** The same for one document: how long it is, is known when it is there. */
const SHORT_DOCUMENT = 4 * SHORT_PAGE;

const MOST_KINDS = 5000;

/** What one query took. */
interface Cost {
  readonly ms: number;
  /** Bytes of the documents, and how many there were. */
  readonly bytes: number;
  readonly documents: number;
}

/** Bytes up to which an answer of this kind is no long page. */
export function shortPageOf({ lane }: Kind): number {
  return lane === 'lookup' ? SHORT_DOCUMENT : SHORT_PAGE;
}

export interface Workload {
  /** The lane in which a query of this kind waits. */
  laneOf(kind: Kind): Lane;
  /** How many bytes the documents of its answer are expected to have. */
  bytesOf(kind: Kind): number;
  saw(kind: Kind, cost: Cost): void;
}

/** What was costly counts as cheap only after it was cheap several times. */
function blend(known: number, seen: number): number {
  return Math.max(seen, known / 2);
}

/** Knows nothing yet. */
export function createWorkload(): Workload {
  const costs = new LRUCache<string, Pick<Cost, 'ms' | 'bytes'>>({ max: MOST_KINDS });
  /** Bytes of a document, by collection. */
  const sizes = new LRUCache<string, number>({ max: MOST_KINDS });
  const known = ({ key }: Kind) => (key === undefined ? undefined : costs.get(key));
  /** Whether a full page would be short, as far as documents of the collection were seen. */
  const isShort = ({ space, limit }: Kind) => (sizes.get(space) ?? SHORT_PAGE) * limit <= SHORT_PAGE;

  return {
    laneOf(kind) {
      const cost = known(kind);
      switch (kind.lane) {
        case 'lookup':
          return cost !== undefined && cost.bytes > shortPageOf(kind) ? 'page' : 'lookup';
        case 'count':
          return cost !== undefined && cost.ms <= kind.quickMs ? 'query' : 'count';
        default:
          if (cost === undefined) return isShort(kind) ? kind.lane : 'scan';
          if (cost.bytes > shortPageOf(kind)) return 'page';
          return cost.ms > kind.quickMs ? 'scan' : 'query';
      }
    },
    bytesOf: (kind) => known(kind)?.bytes ?? 0,
    saw(kind, { ms, bytes, documents }) {
      const { key, space } = kind;
      const before = known(kind) ?? { ms: 0, bytes: 0 };
      if (key !== undefined) costs.set(key, { ms: blend(before.ms, ms), bytes: blend(before.bytes, bytes) });
      if (documents > 0) sizes.set(space, blend(sizes.get(space) ?? 0, bytes / documents));
    },
  };
}
