// What code names of the outside: collections in `Model('x')`, addresses in calls that send requests. Only what the text itself
// says is taken; the rest is told.
import { type GivenNames, listGivenNames, memberName } from './given-names.ts';
import { type CodeNode, isNode, type ParsedCode, textOf, walkCode } from './parse-code.ts';

/** Calls of the methods of one collection. */
export interface ModelUse {
  /** Undefined where it is computed. */
  readonly name: string | undefined;
  /** True for the collection that the hook runs for. */
  readonly isOwn: boolean;
  /** As posted code calls them, sorted; empty where the text does not say. */
  readonly methods: readonly string[];
  readonly line: number;
}

/** An address in a call that sends a request. */
export interface AddressUse {
  readonly url: URL;
  /** Whether the path goes on with something that is computed. */
  readonly isPrefix: boolean;
  readonly line: number;
}

/** A call of `Config.get`. */
export interface ConfigUse {
  /** Undefined where it is computed. */
  readonly name: string | undefined;
  readonly line: number;
}

export interface NamedAccess {
  /** True where it says `authenticate: false`, as endpoints do that need no token. */
  readonly isOpen: boolean;
  readonly models: readonly ModelUse[];
  readonly configs: readonly ConfigUse[];
  readonly addresses: readonly AddressUse[];
  /** Lines of calls that send requests to what the text does not say. */
  readonly unnamedRequests: readonly number[];
}

const CLIENTS: ReadonlySet<string> = new Set([
  ...['fetch', 'request', 'rp', 'axios', 'got', 'superagent', 'needle', 'http', 'https'],
]);
const REQUEST_METHODS: ReadonlySet<string> = new Set([
  'get',
  'post',
  'put',
  'patch',
  'delete',
  'del',
  'head',
  'request',
]);
const ADDRESS_MEMBERS: ReadonlySet<string> = new Set(['url', 'uri', 'baseUrl', 'baseURL']);

function isModelCall({ type, callee }: CodeNode, names: GivenNames): boolean {
  return type === 'CallExpression' && names.isMember(callee, 'Model');
}

/** True for `Config.get(…)`. */
function isConfigCall({ type, callee }: CodeNode, names: GivenNames): boolean {
  if (type !== 'CallExpression' || !isNode(callee) || memberName(callee) !== 'get') return false;
  return names.isMember(callee['object'], 'Config');
}

function isRequestCall({ type, callee }: CodeNode): boolean {
  if (type !== 'CallExpression' || !isNode(callee)) return false;
  if (callee.type === 'Identifier') return CLIENTS.has(String(callee['name']));
  const object = callee['object'];
  const name = memberName(callee);
  return (
    isNode(object) && CLIENTS.has(String(object['name'])) && name !== undefined && REQUEST_METHODS.has(name)
  );
}

/** The text that a value begins with, and whether that is all of it. */
function beginningOf(node: unknown): { readonly text: string; readonly isWhole: boolean } | undefined {
  const whole = textOf(node);
  if (whole !== undefined) return { text: whole, isWhole: true };
  if (!isNode(node)) return undefined;
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const left = beginningOf(node['left']);
    return left === undefined ? undefined : { text: left.text, isWhole: false };
  }
  if (node.type !== 'TemplateLiteral') return undefined;
  const [first] = node['quasis'] as readonly CodeNode[];
  const { cooked = '' } = (first?.['value'] ?? {}) as { readonly cooked?: string };
  return { text: cooked, isWhole: false };
}

function addressArgument(argument: unknown): unknown {
  if (!isNode(argument) || argument.type !== 'ObjectExpression') return argument;
  for (const property of argument['properties'] as readonly CodeNode[]) {
    const key = property['key'];
    const name = isNode(key) ? (key['name'] ?? key['value']) : undefined;
    if (ADDRESS_MEMBERS.has(String(name))) return property['value'];
  }
  return undefined;
}

function addressOf(code: ParsedCode, node: CodeNode): AddressUse | undefined {
  const [argument] = node['arguments'] as readonly unknown[];
  const beginning = beginningOf(addressArgument(argument));
  // Without a path behind it, the text might go on with more of the host.
  if (beginning === undefined || !(beginning.isWhole || /^https?:\/\/[^/]+\//.test(beginning.text)))
    return undefined;
  const url = URL.parse(beginning.text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return { url, isPrefix: !beginning.isWhole && url.search === '', line: code.lineOf(node) };
}

/** The methods called on variables, by their names: `Books.find()` after `const Books = Model('books')`. */
function methodsByVariable(code: ParsedCode): ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, Set<string>>();
  walkCode(code.root, (node) => {
    const object = node['object'];
    const name = memberName(node);
    if (name === undefined || !isNode(object) || object.type !== 'Identifier') return;
    const variable = String(object['name']);
    methods.set(variable, (methods.get(variable) ?? new Set()).add(name));
  });
  return methods;
}

function variableOf(parent: CodeNode | undefined): string | undefined {
  const target =
    parent?.type === 'VariableDeclarator'
      ? parent['id']
      : parent?.type === 'AssignmentExpression'
        ? parent['left']
        : undefined;
  return isNode(target) && target.type === 'Identifier' ? String(target['name']) : undefined;
}

function modelUse(code: ParsedCode, node: CodeNode, called: readonly string[], isOwn: boolean): ModelUse {
  const [argument] = node['arguments'] as readonly unknown[];
  return { name: textOf(argument), isOwn, methods: called.toSorted(), line: code.lineOf(node) };
}

/** `authenticate: false`, or a list of the methods that need a token. */
function opensIt(node: CodeNode): boolean {
  const { type, key, value, left, right } = node;
  if (type === 'Property') return isNode(key) && key['name'] === 'authenticate' && isOpening(value);
  return type === 'AssignmentExpression' && memberName(left) === 'authenticate' && isOpening(right);
}

const isOpening = (node: unknown): boolean =>
  isNode(node) && (node['value'] === false || node.type === 'ArrayExpression');

/** Lists what a text names, in its order. */
export function listNamedAccess(code: ParsedCode): NamedAccess {
  const models: ModelUse[] = [];
  const configs: ConfigUse[] = [];
  const addresses: AddressUse[] = [];
  const unnamedRequests: number[] = [];
  let isOpen = false;
  const names = listGivenNames(code);
  const byVariable = methodsByVariable(code);
  walkCode(code.root, (node, { parent }) => {
    isOpen ||= opensIt(node);
    if (isModelCall(node, names)) {
      const [argument] = node['arguments'] as readonly unknown[];
      const called = memberName(parent);
      const variable = variableOf(parent) ?? '';
      const methods = called === undefined ? [...(byVariable.get(variable) ?? [])] : [called];
      models.push(modelUse(code, node, methods, names.isOwnCollection(argument)));
    }
    if (isConfigCall(node, names)) {
      const [argument] = node['arguments'] as readonly unknown[];
      configs.push({ name: textOf(argument), line: code.lineOf(node) });
    }
    if (!isRequestCall(node)) return;
    const address = addressOf(code, node);
    if (address === undefined) unnamedRequests.push(code.lineOf(node));
    else addresses.push(address);
  });
  return { isOpen, models, configs, addresses, unnamedRequests };
}
