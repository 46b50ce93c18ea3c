// Encodes the rows of a document in the tables of an index, and its key for a sort.

import type { Json } from '../../../lib/json/json.ts';
import { foldCase } from '../../../lib/regex/case-folding.ts';
import { EMPTY_ARRAY, expandRows, type IndexValue, type PathPart, parsePath } from '../../matching/paths.ts';
import type { Direction, IndexDefinition, Sort, StoredDocument } from '../../ports.ts';
import type { WorkLimit } from '../data-file/work-limit.ts';
import { emptyArrayKey, encodeId, encodeValue, inDirection } from './key-encoding.ts';

export interface EncodedRows {
  /** Whole keys, id included, without duplicates. */
  readonly exact: readonly Buffer[];
  readonly caseFolded: readonly Buffer[];
  /** Length of the id at the end of each key, in bytes. */
  readonly idBytes: number;
  /** One bit per key: set where the document holds an array. */
  readonly arrays: number;
}

export type RowEncoder = (document: StoredDocument, workLimit: WorkLimit) => EncodedRows;

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

/** Creates the encoder of one index. It throws `parallel-arrays` StoreErrors. */
export function createRowEncoder(definition: IndexDefinition): RowEncoder {
  const paths = pathsOf(definition.keys.map((key) => key.path));
  const exactParts = definition.keys.map(({ direction }) => ({ direction, fold: false }));
  const foldedParts = definition.keys.some((key) => key.fold) ? definition.keys : undefined;
  const lastDirection = definition.keys.at(-1)?.direction ?? 1;
  return (document, workLimit) => {
    const { rows, arrays } = expandRows(document, paths);
    if (definition.sparse && rows.every((row) => row.every((value) => value === undefined))) return NO_ROWS;
    const tail = encodeId(document._id, lastDirection);
    const encode = (parts: readonly KeyPart[]) =>
      distinct(
        rows.map((row) => {
          workLimit.tick(0);
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
 * Creates a function that returns the sort key of a document: its smallest row in an index over `sort`.
 * It throws `parallel-arrays` StoreErrors.
 */
export function createSortKey(sort: Sort): (document: StoredDocument, workLimit: WorkLimit) => Buffer {
  const paths = pathsOf(sort.map(([path]) => path));
  const parts = sort.map(([, direction]) => ({ direction, fold: false }));
  const lastDirection = sort.at(-1)?.[1] ?? 1;
  return (document, workLimit) => {
    const tail = encodeId(document._id, lastDirection);
    let least: Buffer | undefined;
    for (const row of expandRows(document, paths).rows) {
      workLimit.tick(0);
      const key = encodeRow(row, parts, tail);
      if (least === undefined || Buffer.compare(key, least) < 0) least = key;
    }
    return least ?? tail;
  };
}
