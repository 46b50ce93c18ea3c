// JSON as people write it: where it is wrong, and the lines of its members.

import type { Json } from '../../../api/types.ts';
import type { Problem } from '../../../parts/code/code-editor.tsx';
import { findJsonFault } from './json-fault.ts';

export type JsonResult = { readonly value: Json } | { readonly problem: Problem };

interface Place {
  readonly line: number;
  readonly column: number;
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

export function parseJson(text: string): JsonResult {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    const { offset, message } = findJsonFault(text) ?? { offset: 0, message: 'it cannot be read' };
    return { problem: { ...placeOf(text, offset), message: `No JSON: ${message}`, severity: 'error' } };
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

interface Level {
  /** Names of objects, numbers of lists. */
  key: string;
  next: number;
  readonly isList: boolean;
}

/** The places of the names of all members of a valid JSON text, by their paths: `fields`, `fields.title`, `fields.title.type`. */
export function memberPlaces(text: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const levels: Level[] = [];
  let isName = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      levels.push({ key: '0', next: 1, isList: token === '[' });
      isName = token === '{';
    } else if (token === '}' || token === ']') {
      levels.pop();
      isName = false;
    } else if (token === ',' && level !== undefined) {
      if (level.isList) {
        level.key = String(level.next);
        level.next += 1;
      }
      isName = !level.isList;
    } else if (isName && level !== undefined && token.startsWith('"')) {
      level.key = String(JSON.parse(token));
      const path = levels.map(({ key }) => key).join('.');
      places.set(path, placeOf(text, index));
      isName = false;
    }
  }
  return places;
}
