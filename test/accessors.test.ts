// No object literal of the source has a getter or a setter. V8 gives each such literal a hidden class of its own, which holds
// the closure, and lives in the old generation: made once a request, it keeps the request in memory until a full collection.
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

/** The lines of accessors in object literals. */
function accessorLines(text: string): readonly number[] {
  if (!MAY_BE_ACCESSOR.test(text)) return [];
  const program = parse(stripTypeScriptTypes(text), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  });
  const literals = [...nodesBelow(program)].filter(({ type }) => type === 'ObjectExpression');
  const members = literals.flatMap((literal) => Reflect.get(literal, 'properties') as readonly Node[]);
  return members
    .filter((member) => ['get', 'set'].includes(Reflect.get(member, 'kind')))
    .map(({ loc }) => loc?.start.line ?? 0);
}

describe('object literals of the source', () => {
  it('have no getters and setters', () => {
    const files = sourceFiles('src').filter(({ path }) => path.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap(({ path, text }) => accessorLines(text).map((line) => `${path}:${line}`))).toEqual(
      [],
    );
  });

  it('are the only places where this test finds accessors', () => {
    const text = `class A { get a() { return 1; } }
      const fine = (x: number) => ({ get: x, set() {}, get: () => x });
      const nested = { b: [{ get c() { return 1; } }] };
      using d = { set e(value: number) {} } as never;`;
    expect(accessorLines(text)).toEqual([3, 4]);
  });
});
