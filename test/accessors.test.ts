// No object literal of the source has a getter or a setter. V8 gives each such literal a hidden class of its own, which holds
// the closure, and lives in the old generation: made once a request, it keeps the request in memory until a full collection.
// Nor is a literal spread into another one: what it holds can stand there itself.
import { stripTypeScriptTypes } from 'node:module';
import { type Node, parse } from 'acorn';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './helpers/fixtures/source-tree.ts';

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';

function* nodesBelow(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* nodesBelow(child);
  }
}

/** Without one of these words in front of a name there is no accessor: most files need not be parsed. */
const MAY_BE_ACCESSOR = /\b[gs]et\b(?!\s*[(:,.;)=?!])/;

/** The lines of the members of object literals that are wanted. */
function memberLines(text: string, isWanted: (member: Node) => boolean): readonly number[] {
  const program = parse(stripTypeScriptTypes(text), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  });
  const literals = [...nodesBelow(program)].filter(({ type }) => type === 'ObjectExpression');
  const members = literals.flatMap((literal) => Reflect.get(literal, 'properties') as readonly Node[]);
  return members.filter(isWanted).map(({ loc }) => loc?.start.line ?? 0);
}

/** The lines of accessors in object literals. */
function accessorLines(text: string): readonly number[] {
  if (!MAY_BE_ACCESSOR.test(text)) return [];
  return memberLines(text, (member) => ['get', 'set'].includes(Reflect.get(member, 'kind')));
}

/** The lines of literals that are spread into other ones. */
function spreadLines(text: string): readonly number[] {
  if (!text.includes('...{')) return [];
  const isLiteral = (value: unknown) => isNode(value) && value.type === 'ObjectExpression';
  return memberLines(text, (member) => isLiteral(Reflect.get(member, 'argument')));
}

/** Wiring that would pass 300 lines. A file leaves the list when it is divided; none is added. */
const LONG_WIRING: ReadonlySet<string> = new Set([
  'src/deployment/deployment.ts',
  'src/setup/app.ts',
  'src/setup/cli-services.ts',
]);

describe('object literals of the source', () => {
  it('have no getters and setters', () => {
    const files = sourceFiles('src').filter(({ path }) => path.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap(({ path, text }) => accessorLines(text).map((line) => `${path}:${line}`))).toEqual(
      [],
    );
  });

  it('are not spread into others', () => {
    const files = sourceFiles('src').filter(({ path }) => path.endsWith('.ts') && !LONG_WIRING.has(path));
    expect(files.flatMap(({ path, text }) => spreadLines(text).map((line) => `${path}:${line}`))).toEqual([]);
  });

  it('are the only places where this test finds literals that are spread', () => {
    const text = `const fine = { ...other, ...(x ? { a: 1 } : {}), ...[{}] };
      const nested = { b: { ...{ c: 1 as number }, d: 2 } };`;
    expect(spreadLines(text)).toEqual([2]);
  });

  it('are the only places where this test finds accessors', () => {
    const text = `class A { get a() { return 1; } }
      const fine = (x: number) => ({ get: x, set() {}, get: () => x });
      const nested = { b: [{ get c() { return 1; } }] };
      using d = { set e(value: number) {} } as never;`;
    expect(accessorLines(text)).toEqual([3, 4]);
  });
});
