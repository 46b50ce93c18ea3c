// Parses the code of a site and walks its tree. The code is text from strangers: it is parsed, never run.
import { lazyPackage } from '../../lib/files/lazy-package.ts';

const acorn = lazyPackage<typeof import('acorn')>('acorn');
const eslintScope = lazyPackage<typeof import('eslint-scope')>('eslint-scope');

/** Levels that a tree of code may have. What is deeper is no code that people write, and ends parsers. */
export const MAX_CODE_DEPTH = 1_000;
/** Nodes of such a tree: a megabyte of code that people or bundlers write has some 200,000. */
export const MAX_CODE_NODES = 300_000;

/** A node of the tree that acorn makes, as far as it is read here. */
export interface CodeNode {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

export interface ParsedCode {
  readonly root: CodeNode;
  /** True for the syntax of ES modules. */
  readonly isModule: boolean;
  /** The line of a node, from 1. */
  lineOf(node: CodeNode): number;
}

/** Code that cannot be parsed. */
export interface UnreadableCode {
  readonly line: number;
  /** One sentence without a full stop. */
  readonly message: string;
}

export function isNode(value: unknown): value is CodeNode {
  return typeof value === 'object' && value !== null && typeof (value as CodeNode).type === 'string';
}

/** Tells lines from offsets. Lines on every node would take half of the memory of a tree. */
function createLines(text: string): (node: CodeNode) => number {
  let breaks: number[] | undefined;
  return ({ start }) => {
    breaks ??= [...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map(({ index }) => index);
    let [low, high] = [0, breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((breaks[middle] ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

/** The text of a literal, or of a template without values; undefined for anything else. */
export function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  const [only, ...more] = node['quasis'] as readonly CodeNode[];
  const { cooked } = (only?.['value'] ?? {}) as { readonly cooked?: string };
  return more.length === 0 ? cooked : undefined;
}

function childrenOf(node: CodeNode): readonly CodeNode[] {
  const children: CodeNode[] = [];
  for (const [member, value] of Object.entries(node)) {
    if (member === 'range' || typeof value !== 'object' || value === null) continue;
    if (isNode(value)) children.push(value);
    if (!Array.isArray(value)) continue;
    // One by one: a list may have more elements than a call may have arguments.
    for (const element of value) if (isNode(element)) children.push(element);
  }
  return children;
}

/** What is known of a place in the tree. */
export interface CodePlace {
  readonly parent: CodeNode | undefined;
  /** Within the block of a `try`: what fails there is caught. */
  readonly isTried: boolean;
}

/** Calls `visit` for every node, in the order of the text. Takes no more stack for deep trees. */
export function walkCode(root: CodeNode, visit: (node: CodeNode, place: CodePlace) => void): void {
  const open: { readonly node: CodeNode; readonly place: CodePlace }[] = [
    { node: root, place: { parent: undefined, isTried: false } },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, place } = next;
    visit(node, place);
    for (const child of childrenOf(node).toReversed()) {
      const isTried = place.isTried || (node.type === 'TryStatement' && node['block'] === child);
      open.push({ node: child, place: { parent: node, isTried } });
    }
  }
}

/** What is too much about a tree, if anything. */
function excessOf(root: CodeNode): UnreadableCode | undefined {
  let level: readonly CodeNode[] = [root];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    count += level.length;
    if (depth > MAX_CODE_DEPTH) return TOO_DEEP;
    if (count > MAX_CODE_NODES) return TOO_LARGE;
    const next: CodeNode[] = [];
    for (const node of level) for (const child of childrenOf(node)) next.push(child);
    level = next;
  }
  return undefined;
}

function parseAs(text: string, sourceType: 'script' | 'module'): CodeNode {
  return acorn().parse(text, {
    ecmaVersion: 'latest',
    sourceType,
    allowReturnOutsideFunction: sourceType === 'script',
    allowHashBang: true,
    ranges: true,
  }) as unknown as CodeNode;
}

const MODULE_SYNTAX = /'import' and 'export' may appear only|Cannot use 'import\.meta'|keyword 'await'/;
/** What is said of code that nests too deep. */
export const TOO_DEEP: UnreadableCode = { line: 1, message: 'it nests too deep' };
const TOO_LARGE: UnreadableCode = { line: 1, message: `it has more than ${MAX_CODE_NODES} nodes` };

function unreadable(error: unknown): UnreadableCode {
  if (error instanceof RangeError) return TOO_DEEP;
  if (!(error instanceof SyntaxError)) throw error;
  if (error.message.startsWith('Not enough stack')) return TOO_DEEP;
  const { line = 1 } = (error as { readonly loc?: { readonly line: number } }).loc ?? {};
  return { line, message: error.message.replace(/ \(\d+:\d+\)$/, '') };
}

/** Parses a text, as a script or else as an ES module. */
export function parseCode(text: string): ParsedCode | UnreadableCode {
  const attempt = (sourceType: 'script' | 'module') => {
    const root = parseAs(text, sourceType);
    return excessOf(root) ?? { root, isModule: sourceType === 'module', lineOf: createLines(text) };
  };
  try {
    return attempt('script');
  } catch (error) {
    if (!(error instanceof SyntaxError) || !MODULE_SYNTAX.test(error.message)) return unreadable(error);
  }
  try {
    return attempt('module');
  } catch (error) {
    return unreadable(error);
  }
}

/** The identifiers that name something which the code itself does not declare, such as `require`. */
export function freeNames({ root, isModule }: ParsedCode): ReadonlySet<unknown> {
  const { analyze } = eslintScope();
  const sourceType = isModule ? 'module' : 'script';
  try {
    const program = root as unknown as Parameters<typeof analyze>[0];
    const { globalScope } = analyze(program, { ecmaVersion: 2024, sourceType });
    return new Set((globalScope?.through ?? []).map(({ identifier }) => identifier));
  } catch (error) {
    if (error instanceof RangeError) return new Set();
    throw error;
  }
}
