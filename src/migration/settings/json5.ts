// Reads JSON as people write it: comments, trailing commas, single quotes, names without quotes (JSON5). The parser of JavaScript
// reads the text, as JSON5 is a part of that language; whatever is more than data is refused.
import {
  findJsonIssue,
  isJsonObject,
  type Json,
  type JsonObject,
  MAX_JSON_DEPTH,
} from '../../lib/json/json.ts';
import {
  type CodeNode,
  isNode,
  type ParsedCode,
  parseCode,
  TOO_DEEP,
} from '../../modules/source-text/parse-code.ts';

/** Bytes of a file with JSON. */
export const MAX_JSON_BYTES = 1_048_576;

export interface ReadJson {
  readonly value: JsonObject;
  /** True for what is no plain JSON: comments, trailing commas and the like. */
  readonly isLoose: boolean;
  /** Names that are given twice in one object; the last one counts. */
  readonly repeated: readonly string[];
}

class NotDataError extends Error {
  readonly node: CodeNode;
  constructor(node: CodeNode, message: string) {
    super(message);
    this.node = node;
  }
}

function nameOf(key: unknown, property: CodeNode): string {
  if (isNode(key) && key.type === 'Identifier' && property['computed'] !== true) return String(key['name']);
  const value = isNode(key) && key.type === 'Literal' ? key['value'] : undefined;
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new NotDataError(property, 'a name has to be text');
}

function numberOf(node: CodeNode): number {
  const { operator, argument } = node;
  const value = isNode(argument) && argument.type === 'Literal' ? argument['value'] : undefined;
  if (typeof value !== 'number' || (operator !== '-' && operator !== '+'))
    throw new NotDataError(node, 'an expression is no value');
  return operator === '-' ? -value : value;
}

function literalOf(node: CodeNode): Json {
  const { value } = node;
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';
  if (value === null ? node['raw'] === 'null' : isPlain) return value as Json;
  throw new NotDataError(node, 'a pattern is no value');
}

function jsonOf(node: unknown, repeated: string[], depth: number): Json {
  if (!isNode(node)) return null;
  if (depth > MAX_JSON_DEPTH) throw new NotDataError(node, `it nests deeper than ${MAX_JSON_DEPTH} levels`);
  if (node.type === 'Literal') return literalOf(node);
  if (node.type === 'UnaryExpression') return numberOf(node);
  if (node.type === 'ArrayExpression') {
    return (node['elements'] as readonly unknown[]).map((element) => jsonOf(element, repeated, depth + 1));
  }
  if (node.type !== 'ObjectExpression') throw new NotDataError(node, 'an expression is no value');
  const members = new Map<string, Json>();
  for (const property of node['properties'] as readonly CodeNode[]) {
    const isValue =
      property.type === 'Property' && property['kind'] === 'init' && property['shorthand'] === false;
    if (!isValue || property['method'] === true)
      throw new NotDataError(property, 'an expression is no value');
    const name = nameOf(property['key'], property);
    if (members.has(name)) repeated.push(name);
    members.set(name, jsonOf(property['value'], repeated, depth + 1));
  }
  return Object.fromEntries(members);
}

function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function expressionOf(
  text: string,
): (Pick<ParsedCode, 'lineOf'> & { readonly expression: CodeNode }) | { readonly why: string } {
  const parsed = parseCode(`(${text}\n)`);
  if ('message' in parsed) {
    if (parsed === TOO_DEEP) return { why: TOO_DEEP.message };
    // What is missing at the end is missed behind it.
    return { why: `line ${Math.min(parsed.line, text.split('\n').length)} is not valid JSON` };
  }
  const [statement, ...more] = parsed.root['body'] as readonly CodeNode[];
  const expression = statement?.['expression'];
  if (more.length > 0 || !isNode(expression)) return { why: 'it is not valid JSON' };
  return { expression, lineOf: parsed.lineOf };
}

/** Reads an object. `why`: what is wrong with the text, without quoting it. */
export function readJson5(text: string): ReadJson | { readonly why: string } {
  const found = expressionOf(text);
  if ('why' in found) return found;
  const repeated: string[] = [];
  try {
    const value = jsonOf(found.expression, repeated, 1);
    if (!isJsonObject(value)) return { why: 'it is not a JSON object' };
    const issue = findJsonIssue(value);
    if (issue !== undefined)
      return { why: issue.path === '' ? `it ${issue.message}` : `\`${issue.path}\` ${issue.message}` };
    return { value, isLoose: !isPlainJson(text), repeated };
  } catch (error) {
    if (error instanceof NotDataError) return { why: `line ${found.lineOf(error.node)}: ${error.message}` };
    throw error;
  }
}
