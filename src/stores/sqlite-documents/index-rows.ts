// The rows that one document has in the tables of one index.

import { foldText } from '../../lib/fold.ts';
import type { Json } from '../../lib/json.ts';
import { EMPTY_ARRAY, type IndexValue, indexRows, type PathPart, parsePath } from '../matching/paths.ts';
import type { Direction, IndexDefinition, Sort, StoredDocument } from '../ports.ts';
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

function encodeKeyValue(value: IndexValue, fold: boolean): Buffer {
  if (value === EMPTY_ARRAY) return emptyArrayKey();
  return encodeValue(fold && typeof value === 'string' ? foldText(value) : (value as Json | undefined));
}

function encodeRow(row: readonly IndexValue[], parts: readonly KeyPart[], tail: Buffer): Buffer {
  const pieces = parts.map((part, at) => directed(encodeKeyValue(row[at], part.fold), part.direction));
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
  const paths = pathsOf(definition.keys.map((key) => key.path));
  const exactParts = definition.keys.map(({ direction }) => ({ direction, fold: false }));
  const foldedParts = definition.keys.some((key) => key.fold) ? definition.keys : undefined;
  const lastDirection = definition.keys.at(-1)?.direction ?? 1;
  return (document, meter) => {
    const { rows, arrays } = indexRows(document, paths);
    if (definition.sparse && rows.every((row) => row.every((value) => value === undefined))) return NO_ROWS;
    const tail = encodeId(document._id, lastDirection);
    const encode = (parts: readonly KeyPart[]) =>
      distinct(
        rows.map((row) => {
          meter.tick(0);
          return encodeRow(row, parts, tail);
        }),
      );
    return {
      exact: encode(exactParts),
      folded: foldedParts === undefined ? [] : encode(foldedParts),
      idBytes: tail.length,
      arrays: arrays.reduce((bits, array, at) => bits | (array ? 1 << at : 0), 0),
    };
  };
}

function pathsOf(paths: readonly string[]): readonly (readonly PathPart[])[] {
  return paths.map(parsePath);
}

/**
 * Prepares the bytes that put documents in the order of `sort`: the smallest key of each, as an index would hold it.
 * What is prepared throws `parallel-arrays` StoreErrors.
 */
export function createSortKey(sort: Sort): (document: StoredDocument, meter: Meter) => Buffer {
  const paths = pathsOf(sort.map(([path]) => path));
  const parts = sort.map(([, direction]) => ({ direction, fold: false }));
  const lastDirection = sort.at(-1)?.[1] ?? 1;
  return (document, meter) => {
    const tail = encodeId(document._id, lastDirection);
    let least: Buffer | undefined;
    for (const row of indexRows(document, paths).rows) {
      meter.tick(0);
      const key = encodeRow(row, parts, tail);
      if (least === undefined || Buffer.compare(key, least) < 0) least = key;
    }
    return least ?? tail;
  };
}
