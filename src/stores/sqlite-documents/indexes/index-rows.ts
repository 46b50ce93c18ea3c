// The rows that one document has in the tables of one index.

import { foldCase } from '../../../lib/case-folding.ts';
import type { Json } from '../../../lib/json/json.ts';
import { EMPTY_ARRAY, expandRows, type IndexValue, type PathPart, parsePath } from '../../matching/paths.ts';
import type { Direction, IndexDefinition, Sort, StoredDocument } from '../../ports.ts';
import type { WorkLimit } from '../data-file/work-limit.ts';
import { emptyArrayKey, encodeId, encodeValue, inDirection } from './key-encoding.ts';

export interface EncodedRows {
  /** Whole keys, id included, none twice. */
  readonly exact: readonly Buffer[];
  readonly caseFolded: readonly Buffer[];
  /** How many bytes at the end of each key are the id. */
  readonly idBytes: number;
  /** One bit a key: an array was met there. */
  readonly arrays: number;
}

export type RowEncoder = (document: StoredDocument, meter: WorkLimit) => EncodedRows;

interface KeyPart {
  readonly direction: Direction;
  readonly fold: boolean;
}

const NO_ROWS: EncodedRows = { exact: [], caseFolded: [], idBytes: 0, arrays: 0 };

function encodeKeyValue(value: IndexValue, fold: boolean): Buffer {
  if (value === EMPTY_ARRAY) return emptyArrayKey();
  return encodeValue(fold && typeof value === 'string' ? foldCase(value) : (value as Json | undefined));
}

function encodeRow(row: readonly IndexValue[], parts: readonly KeyPart[], tail: Buffer): Buffer {
  const pieces = parts.map((part, at) => inDirection(encodeKeyValue(row[at], part.fold), part.direction));
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
export function createRowEncoder(definition: IndexDefinition): RowEncoder {
  const paths = pathsOf(definition.keys.map((key) => key.path));
  const exactParts = definition.keys.map(({ direction }) => ({ direction, fold: false }));
  const foldedParts = definition.keys.some((key) => key.fold) ? definition.keys : undefined;
  const lastDirection = definition.keys.at(-1)?.direction ?? 1;
  return (document, meter) => {
    const { rows, arrays } = expandRows(document, paths);
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
      caseFolded: foldedParts === undefined ? [] : encode(foldedParts),
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
export function createSortKey(sort: Sort): (document: StoredDocument, meter: WorkLimit) => Buffer {
  const paths = pathsOf(sort.map(([path]) => path));
  const parts = sort.map(([, direction]) => ({ direction, fold: false }));
  const lastDirection = sort.at(-1)?.[1] ?? 1;
  return (document, meter) => {
    const tail = encodeId(document._id, lastDirection);
    let least: Buffer | undefined;
    for (const row of expandRows(document, paths).rows) {
      meter.tick(0);
      const key = encodeRow(row, parts, tail);
      if (least === undefined || Buffer.compare(key, least) < 0) least = key;
    }
    return least ?? tail;
  };
}
