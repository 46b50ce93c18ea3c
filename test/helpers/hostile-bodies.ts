// Bodies of some megabytes that cost far more to take apart than to send.

/** The longest body that the server takes by default. */
export const MOST_BYTES = 10 * 1_048_576;

/** `open`, as many `unit` as fit without the last comma, `close`. */
export function filled(unit: string, open: string, close: string, bytes = MOST_BYTES): string {
  const room = bytes - open.length - close.length;
  return `${open}${unit.repeat(Math.floor(room / unit.length)).slice(0, -1)}${close}`;
}

/** Members with names that no two share. */
export function members(count: number, value = '1', prefix = 'k'): string {
  return Array.from({ length: count }, (_, n) => `"${prefix}${n}":${value}`).join(',');
}

const many = (count: number, of: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => of(n)).join(',');

/** JSON of about ten megabytes, each slow in a way of its own to parse, to check, to write or to answer. */
export function hostileTexts(): ReadonlyMap<string, string> {
  return new Map([
    ['empty lists', filled('[],', '[', ']')],
    ['empty lists in one document', filled('[],', '{"mixed":[', ']}')],
    ['empty lists in one document of a batch', filled('[],', '[{},{"mixed":[', ']},{}]')],
    ['empty lists in many documents', filled(`{"mixed":[${'[],'.repeat(340)}[]]},`, '[', ']')],
    ['names', `{${members(800_000)}}`],
    ['numbers as names', `{"mixed":{${many(800_000, (n) => `"${n * 5}":1`)}}}`],
    ['names in a query', `{"query":{${members(700_000)}},"update":{}}`],
    ['values in a query', filled('"a",', '{"query":{"title":{"$in":[', ']}},"update":{}}')],
    ['the same name', filled('"a":1,', '{', '}')],
    ['fields', `{"fields":{${members(500_000, '{}', 'f')}},"settings":{}}`],
    ['objects with a name each', `[${many(600_000, (n) => `{"k${n}":1}`)}]`],
    ['levels', filled(`${'{"":'.repeat(90)}1${'}'.repeat(90)},`, '[', ']')],
    ['unknown names in many documents', `[${many(9900, (n) => `{${members(90, '1', `${n}_`)}}`)}]`],
    ['one escaped text', `{"title":"${'\\u0041'.repeat(1_700_000)}"}`],
    ['one number', `{"title":${'1'.repeat(MOST_BYTES - 20)}}`],
    ['spaces', ' '.repeat(MOST_BYTES)],
    ['brackets', '['.repeat(MOST_BYTES)],
  ]);
}

/** Bodies that are just within the bounds of a collection with `title`, `mixed` and `of`, which refers to itself. */
export function hostileDocuments(): ReadonlyMap<string, { readonly body: string; readonly status: number }> {
  const text = (n: number) => `"some text of an ordinary length, of row ${n}"`;
  return new Map([
    ['names', { body: `{"mixed":{${members(33_000, '1', 'x'.repeat(26))}}}`, status: 200 }],
    ['long names', { body: `{"mixed":{${members(8000, '1', 'x'.repeat(290))}}}`, status: 200 }],
    ['numbers', { body: `{"mixed":[${many(99_000, (n) => `${n}`)}]}`, status: 200 }],
    ['unknown names', { body: `{${members(33_000)}}`, status: 400 }],
    ['a text', { body: `{"title":"${'a'.repeat(MOST_BYTES - 20)}"}`, status: 200 }],
    [
      'a batch of ten megabytes',
      {
        body: `[${many(9000, (n) => `{"title":${text(n)},"mixed":{${members(20, text(n))}}}`)}]`,
        status: 200,
      },
    ],
    [
      'sub-documents',
      {
        body: `[${many(9000, (n) => `{"of":{"title":"${n}","mixed":{${members(20, text(n))}}}}`)}]`,
        status: 200,
      },
    ],
  ]);
}
