// Finds the line of a JSON text where a value stands, or where the text stops being JSON.
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** Names of members and positions in lists, from the root. */
export type JsonPath = readonly (string | number)[];

export interface JsonLineNumbers {
  /** The first syntax error, its line counted from 1. */
  readonly syntaxError: { readonly line: number; readonly message: string } | undefined;
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

// A member is shown where its name stands, not where its value begins.
const startOf = (node: Node) => (node.parent?.type === 'property' ? node.parent.offset : node.offset);

function parse(text: string) {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
    return { root, first: errors[0] };
  } catch {
    // The parser calls itself for every level of nesting: whoever nests that deep reads no line numbers.
    return { root: undefined, first: undefined };
  }
}

/** Reads a text as strict JSON, keeping positions. */
export function parseLineNumbers(text: string): JsonLineNumbers {
  const { root, first } = parse(text);
  const words = first && printParseErrorCode(first.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  const find = (path: JsonPath): number | undefined => {
    const node = root && findNodeAtLocation(root, [...path]);
    return node === undefined ? undefined : lineAt(text, startOf(node));
  };
  return {
    syntaxError: first && { line: lineAt(text, first.offset), message: (words ?? '').toLowerCase() },
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
