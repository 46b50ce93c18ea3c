// Finds the line number of a value in a JSON text, or of its first syntax error.
import type { Node } from 'jsonc-parser';
import { lazyPackage } from '../files/lazy-package.ts';
import { findSyntaxError, type JsonSyntaxError } from './json-syntax.ts';

const jsonc = lazyPackage<typeof import('jsonc-parser')>('jsonc-parser');

/** Names of members and positions in lists, from the root. */
export type JsonPath = readonly (string | number)[];

export interface JsonLineNumbers {
  readonly syntaxError: JsonSyntaxError | undefined;
  /** The line of the value at `path`; undefined when there is none. */
  find(path: JsonPath): number | undefined;
  /** The line of the value at `path`, or of the nearest one around it that exists. */
  findNearest(path: JsonPath): number;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

// The line of a member is that of its name.
const startOf = (node: Node) => (node.parent?.type === 'property' ? node.parent.offset : node.offset);

function parse(text: string): Node | undefined {
  try {
    return jsonc().parseTree(text);
  } catch {
    // The parser is recursive: for a text that exhausts the stack there are no line numbers.
    return undefined;
  }
}

/** Parses a text as strict JSON with positions. */
export function parseLineNumbers(text: string): JsonLineNumbers {
  const root = parse(text);
  const find = (path: JsonPath): number | undefined => {
    const node = root && jsonc().findNodeAtLocation(root, [...path]);
    return node === undefined ? undefined : lineAt(text, startOf(node));
  };
  return {
    syntaxError: findSyntaxError(text),
    find,
    findNearest(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const line = find(path.slice(0, length));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}
