// The modules that a text imports, each with its line.
import {
  type CodeNode,
  freeNames,
  isNode,
  type ParsedCode,
  textOf,
  walkCode,
} from '../../modules/source-text/parse-code.ts';

export interface CodeImport {
  /** Undefined where the name is computed. */
  readonly name: string | undefined;
  readonly line: number;
  readonly kind: 'require' | 'import';
  /** What fails there is caught: the code goes on without it. */
  readonly isOptional: boolean;
}

const DECLARATIONS: ReadonlySet<string> = new Set([
  ...['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration'],
]);

/** Lists every import in the order of the text. A function's own `require` is none. */
export function listImports(code: ParsedCode): readonly CodeImport[] {
  const free = freeNames(code);
  const imports: CodeImport[] = [];
  const isRequire = (node: CodeNode) => {
    const { callee } = node;
    return (
      node.type === 'CallExpression' && isNode(callee) && callee['name'] === 'require' && free.has(callee)
    );
  };
  walkCode(code.root, (node, { isTried }) => {
    const at = { line: code.lineOf(node), isOptional: isTried };
    const source = node['source'];
    if (DECLARATIONS.has(node.type)) {
      if (isNode(source)) imports.push({ ...at, name: textOf(source), kind: 'import' });
    } else if (node.type === 'ImportExpression') {
      imports.push({ ...at, name: textOf(source), kind: 'import' });
    } else if (isRequire(node)) {
      const [name] = node['arguments'] as readonly unknown[];
      imports.push({ ...at, name: textOf(name), kind: 'require' });
    }
  });
  return imports;
}
