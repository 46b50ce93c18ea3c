// Finds the place at which a text stops being JSON. The messages of browsers name it only sometimes.

/** What may come next. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | 'more' | 'end';

export interface JsonFault {
  /** Of the first character that does not fit, in UTF-16 units. */
  readonly offset: number;
  readonly message: string;
}

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /("(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|((?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))|([{}[\],:])/uy;

const NEEDED: Readonly<Record<Expected, string>> = {
  value: 'a value is needed here',
  'value or ]': 'a value or ] is needed here',
  name: 'a name in double quotes is needed here',
  'name or }': 'a name in double quotes or } is needed here',
  ':': 'a colon is needed here',
  more: 'a comma or the closing bracket is needed here',
  end: 'nothing more may follow here',
};

const afterValue = (open: readonly string[]): Expected => (open.length === 0 ? 'end' : 'more');

/** What may come after this token; undefined: it may not be here. */
function next(expected: Expected, token: string, open: string[]): Expected | undefined {
  const isValue = expected === 'value' || expected === 'value or ]';
  const isName = expected === 'name' || expected === 'name or }';
  if (isValue && (token === '{' || token === '[')) {
    open.push(token);
    return token === '{' ? 'name or }' : 'value or ]';
  }
  const mayEnd = expected === 'more' || expected === 'value or ]' || expected === 'name or }';
  if (mayEnd && token === (open.at(-1) === '{' ? '}' : ']')) {
    open.pop();
    return afterValue(open);
  }
  if (expected === 'more' && token === ',') return open.at(-1) === '{' ? 'name' : 'value';
  if (expected === ':' && token === ':') return 'value';
  if (isName && token.startsWith('"')) return ':';
  return isValue && !/^[{}[\],:]$/.test(token) ? afterValue(open) : undefined;
}

/** Undefined: the text is JSON. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: string[] = [];
  let expected: Expected = 'value';
  let offset = 0;
  for (;;) {
    SPACE.lastIndex = offset;
    offset += SPACE.exec(text)?.[0].length ?? 0;
    if (offset === text.length && expected === 'end') return undefined;
    TOKEN.lastIndex = offset;
    const token = TOKEN.exec(text)?.[0];
    const following: Expected | undefined = token === undefined ? undefined : next(expected, token, open);
    if (token === undefined || following === undefined) return { offset, message: NEEDED[expected] };
    expected = following;
    offset += token.length;
  }
}
