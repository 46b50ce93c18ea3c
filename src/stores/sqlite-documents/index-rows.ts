// The rows that one document has in the tables of one index.

import { foldText } from '../../lib/fold.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { Direction, IndexDefinition, Sort, StoredDocument } from '../ports.ts';
import {
  EMPTY_ARRAY,
  type KeyValue,
  keyTuples,
  ParallelArrays,
  parallelArraysError,
  type SplitPath,
  splitPaths,
} from './key-tuples.ts';
import { directed, emptyArrayKey, encodeId, encodeValue } from './keys.ts';
import type { Meter } from './meter.ts';

export interface IndexRows {
  /** Whole keys, id included, none twice. */
  readonly exact: readonly Buffer[];
  readonly folded: readonly Buffer[];
  /** How many bytes at the end of each key are the id. */
  readonly idBytes: number;
  /** One bit a key: an array was met there. */
  readonly arrays: number;
}

export type RowMaker = (document: StoredDocument, meter: Meter) => IndexRows;

interface KeyPart {
  readonly direction: Direction;
  readonly fold: boolean;
}

const NO_ROWS: IndexRows = { exact: [], folded: [], idBytes: 0, arrays: 0 };

function encodeKeyValue(value: KeyValue, fold: boolean): Buffer {
  if (value === EMPTY_ARRAY) return emptyArrayKey();
  return encodeValue(fold && typeof value === 'string' ? foldText(value) : (value as Json | undefined));
}

function encodeTuple(tuple: readonly KeyValue[], parts: readonly KeyPart[], tail: Buffer): Buffer {
  const pieces = parts.map((part, at) => directed(encodeKeyValue(tuple[at], part.fold), part.direction));
  pieces.push(tail);
  return Buffer.concat(pieces);
}

function distinct(keys: readonly Buffer[]): readonly Buffer[] {
  if (keys.length < 2) return keys;
  const seen = new Map<string, Buffer>();
  for (const key of keys) seen.set(key.toString('latin1'), key);
  return [...seen.values()];
}

/** Prepares the work for one index. The maker throws `parallel-arrays` StoreErrors. */
export function createRowMaker(definition: IndexDefinition): RowMaker {
  const paths = splitPaths(definition.keys.map((key) => key.path));
  const exactParts = definition.keys.map(({ direction }) => ({ direction, fold: false }));
  const foldedParts = definition.keys.some((key) => key.fold) ? definition.keys : undefined;
  const lastDirection = definition.keys.at(-1)?.direction ?? 1;
  return (document, meter) => {
    const { tuples, arrays } = tuplesOf(document, paths, meter);
    if (definition.sparse && tuples.every((tuple) => tuple.every((value) => value === undefined))) {
      return NO_ROWS;
    }
    const tail = encodeId(document._id, lastDirection);
    const encode = (parts: readonly KeyPart[]) =>
      distinct(
        tuples.map((tuple) => {
          meter.tick(0);
          return encodeTuple(tuple, parts, tail);
        }),
      );
    return {
      exact: encode(exactParts),
      folded: foldedParts === undefined ? [] : encode(foldedParts),
      idBytes: tail.length,
      arrays,
    };
  };
}

function tuplesOf(document: JsonObject, paths: readonly SplitPath[], meter: Meter) {
  try {
    return keyTuples(document, paths, meter);
  } catch (error) {
    if (error instanceof ParallelArrays) throw parallelArraysError(paths.map((path) => path.join('.')));
    throw error;
  }
}

/** Prepares the bytes that put documents in the order of `sort`: the smallest key of each, as an index holds it. */
export function createSortKey(sort: Sort): (document: StoredDocument, meter: Meter) => Buffer {
  const paths = splitPaths(sort.map(([path]) => path));
  const parts = sort.map(([, direction]) => ({ direction, fold: false }));
  const lastDirection = sort.at(-1)?.[1] ?? 1;
  return (document, meter) => {
    const tail = encodeId(document._id, lastDirection);
    let least: Buffer | undefined;
    for (const tuple of tuplesOf(document, paths, meter).tuples) {
      const key = encodeTuple(tuple, parts, tail);
      if (least === undefined || Buffer.compare(key, least) < 0) least = key;
    }
    return least ?? tail;
  };
}
