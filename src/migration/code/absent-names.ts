// Names that code of the older servers had from Node, and that posted code does not have: each is told with what to write instead.
import { freeNames, isNode, type ParsedCode, walkCode } from '../../modules/source-text/parse-code.ts';

const FILES = 'there are no files beside the code: put what it reads into the code, or into a collection';

const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['Buffer', "write `const { Buffer } = require('buffer')` first"],
  [
    'process',
    'code in the sandbox sees neither environment nor process: put values into `grants.config` of the policy',
  ],
  ['__dirname', FILES],
  ['__filename', FILES],
]);

interface AbsentName {
  /** From 1. */
  readonly line: number;
  /** One sentence without a full stop. */
  readonly message: string;
}

/** The first use of each such name. Code that asks with `typeof`, or catches what fails, does without it. */
export function listAbsentNames(code: ParsedCode): readonly AbsentName[] {
  const free = freeNames(code);
  const found = new Map<string, number>();
  const asked = new Set<string>();
  walkCode(code.root, (node, { parent, isTried }) => {
    const name = node.type === 'Identifier' && free.has(node) ? String(node['name']) : '';
    if (!REMEDIES.has(name)) return;
    const isAsked = isNode(parent) && parent.type === 'UnaryExpression' && parent['operator'] === 'typeof';
    if (isAsked) asked.add(name);
    else if (!isTried && !found.has(name)) found.set(name, code.lineOf(node));
  });
  return [...found].flatMap(([name, line]) =>
    asked.has(name) ? [] : [{ line, message: `\`${name}\` is not there: ${REMEDIES.get(name)}` }],
  );
}
