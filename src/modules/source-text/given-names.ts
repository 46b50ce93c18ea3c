// The names by which code calls what it is given: `Model` and `Config` of the server's package, and the collection that a hook runs for.
import { type CodeNode, isNode, type ParsedCode, textOf, walkCode } from './parse-code.ts';

export interface GivenNames {
  /** True for an expression that is `Model`, or `Config`, of the package. */
  isMember(node: unknown, member: 'Model' | 'Config'): boolean;
  /** True for the name of the collection that the hook runs for. */
  isOwnCollection(node: unknown): boolean;
}

/** The name of a member that an expression reads; undefined where it is computed, or none. */
export function memberName(node: unknown): string | undefined {
  if (!isNode(node) || node.type !== 'MemberExpression') return undefined;
  const { property, computed } = node;
  if (!isNode(property)) return undefined;
  return computed === true ? textOf(property) : String(property['name']);
}

const identifier = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' ? String(node['name']) : undefined;

/** The target and the value of `const a = b` and `a = b`. */
function assigned(node: CodeNode): readonly [target: unknown, value: unknown] | undefined {
  if (node.type === 'VariableDeclarator') return [node['id'], node['init']];
  if (node.type === 'AssignmentExpression') return [node['left'], node['right']];
  return undefined;
}

/** The variables that a pattern such as `{ Model: Books }` takes a member into. */
function takenFrom(pattern: unknown, member: string): readonly string[] {
  if (!isNode(pattern) || pattern.type !== 'ObjectPattern') return [];
  return (pattern['properties'] as readonly CodeNode[]).flatMap(({ key, value }) => {
    const isIt = isNode(key) && (key['name'] === member || key['value'] === member);
    const target = isNode(value) && value.type === 'AssignmentPattern' ? value['left'] : value;
    const name = isIt ? identifier(target) : undefined;
    return name === undefined ? [] : [name];
  });
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  ...['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'],
]);

/** Reads the names from a text. A name counts wherever the text has it: what code does with its scopes is not followed. */
export function listGivenNames(code: ParsedCode): GivenNames {
  const members = { Model: new Set(['Model']), Config: new Set(['Config']) };
  // A hook is called with the document, the event and what it may know, which nearly everybody calls `data`.
  const contexts = new Set(['data']);
  const collections = new Set<string>();
  walkCode(code.root, (node) => {
    const [target, value] = assigned(node) ?? [];
    for (const name of ['Model', 'Config'] as const) {
      const alias = memberName(value) === name ? identifier(target) : undefined;
      if (alias !== undefined) members[name].add(alias);
      for (const taken of takenFrom(target, name)) members[name].add(taken);
      const imported = node.type === 'ImportSpecifier' ? node['imported'] : undefined;
      const local = identifier(node['local']);
      if (isNode(imported) && imported['name'] === name && local !== undefined) members[name].add(local);
    }
    if (FUNCTIONS.has(node.type)) {
      const [, , context] = node['params'] as readonly unknown[];
      const name = identifier(context);
      if (name !== undefined) contexts.add(name);
      for (const taken of takenFrom(context, 'collection')) collections.add(taken);
    }
    const from = identifier(value);
    if (from !== undefined && contexts.has(from)) {
      for (const taken of takenFrom(target, 'collection')) collections.add(taken);
    }
  });
  return {
    isMember(node, member) {
      const name = identifier(node);
      return name === undefined ? memberName(node) === member : members[member].has(name);
    },
    isOwnCollection(node) {
      const name = identifier(node);
      if (name !== undefined) return collections.has(name);
      const object = isNode(node) ? identifier(node['object']) : undefined;
      return memberName(node) === 'collection' && object !== undefined && contexts.has(object);
    },
  };
}
