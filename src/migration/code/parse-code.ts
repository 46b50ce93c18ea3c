// Parses the code of a site and walks its tree. The code is text from strangers: it is parsed, never run.
import { lazyPackage } from '../../lib/files/lazy-package.ts';

const acorn = lazyPackage<typeof import('acorn')>('acorn');
const eslintScope = lazyPackage<typeof import('eslint-scope')>('eslint-scope');

/** Levels that a tree of code may have. What is deeper is no code that people write, and ends parsers. */
export const MAX_CODE_DEPTH = 1_000;

/** A node of the tree that acorn makes, as far as it is read here. */
export interface CodeNode {
  readonly type: string;
  readonly start: number;
  readonly loc?: { readonly start: { readonly line: number } };
  readonly [member: string]: unknown;
}

export interface ParsedCode {
  readonly root: CodeNode;
  /** True for the syntax of ES modules. */
  readonly isModule: boolean;
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

/** The line of a node, from 1. */
export function lineOf({ loc }: CodeNode): number {
  return loc?.start.line ?? 1;
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
    if (member === 'loc' || typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) children.push(...value.filter(isNode));
    else if (isNode(value)) children.push(value);
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

function isTooDeep(root: CodeNode): boolean {
  let level: readonly CodeNode[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_CODE_DEPTH) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

function parseAs(text: string, sourceType: 'script' | 'module'): CodeNode {
  return acorn().parse(text, {
    ecmaVersion: 'latest',
    sourceType,
    allowReturnOutsideFunction: sourceType === 'script',
    allowHashBang: true,
    locations: true,
    ranges: true,
  }) as unknown as CodeNode;
}

const MODULE_SYNTAX = /'import' and 'export' may appear only|Cannot use 'import\.meta'|keyword 'await'/;
/** What is said of code that nests too deep. */
export const TOO_DEEP: UnreadableCode = { line: 1, message: 'it nests too deep' };

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
    return isTooDeep(root) ? TOO_DEEP : { root, isModule: sourceType === 'module' };
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
