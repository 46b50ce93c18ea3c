// What a hook may return: results of every size and shape, for batches of documents that name one each.
import type { Attack, AttackRequest } from './attack.ts';

/** Documents of one large shape, and of one that is only odd. */
const LARGE_EACH = 8;
const ODD_EACH = 100;

/** Each is made anew for each document, with the limits that a hook has by default. */
const LARGE = {
  texts: "'x'.repeat(5e5)",
  wideTexts: "'\\u4e2d'.repeat(2e5)",
  escapedTexts: "'\\u0001'.repeat(1e5)",
  emptyLists: 'Array(300).fill(Array(1000).fill([]))',
  allowedLists: 'Array(49e3).fill([])',
  emptyObjects: 'Array(3e5).fill({})',
  deepLists: 'nested(4000, (inner) => [inner])',
  deepObjects: 'nested(4000, (inner) => ({ inner }))',
  manyNames: 'named(4e4, (n) => `name` + n)',
  allowedNames: 'named(3e4, (n) => `name` + n)',
  numbers: 'Array(3e5).fill(-1.2345678901234567e-290)',
  allowedNumbers: 'Array(4e4).fill(-1.2345678901234567e-290)',
};
const ODD = {
  cycle: '(() => { const all = {}; all.all = all; return all; })()',
  getter: '({ get inner() { throw new Error(`no`); } })',
  toText: '({ toJSON: () => `x`.repeat(1e4) })',
  proxy: 'new Proxy({}, { ownKeys() { throw 1; } })',
  surrogate: "'\\ud800'",
  surrogateName: "({ '\\udfff': 1 })",
  nul: "({ 'a\\u0000': 1 })",
  proto: `JSON.parse('{"__proto__":{"admin":true}}')`,
  big: '10n',
  symbol: 'Symbol.iterator',
  code: '() => 1',
  nothing: 'undefined',
  notANumber: '[NaN, Infinity, -0]',
  date: 'new Date(8.64e15)',
  map: 'new Map([[1, 2]])',
};
/** The odd ones first: after turns as long as those of the large ones a hook is kept waiting. */
const SHAPES = { ...ODD, ...LARGE };

const SOURCE = `
const nested = (depth, wrap) => { let all = 1; for (let n = 0; n < depth; n += 1) all = wrap(all); return all; };
const named = (count, nameOf) => { const all = {}; for (let n = 0; n < count; n += 1) all[nameOf(n)] = n; return all; };
const SHAPES = { ${Object.entries(SHAPES).map(([name, make]) => `${name}: () => (${make})`)} };
module.exports = function (obj, type) {
  const name = obj.filter?.title ?? obj.results?.[0]?.title ?? obj.update ?? obj.other ?? obj.title;
  const make = SHAPES[name];
  if (make === undefined) return undefined;
  if (type === 'beforeGet') return { filter: { title: make() }, options: obj.options };
  if (type === 'afterGet') return { results: [{ title: make() }], metadata: obj.metadata };
  return { title: 't', other: make() };
};
`;

const request = (method: string, body: unknown): AttackRequest => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const read = (title: string): AttackRequest => ({
  path: `?count=1000&filter=${encodeURIComponent(JSON.stringify({ title }))}`,
});
const batchOf = (title: string) =>
  request('POST', Array(title in LARGE ? LARGE_EACH : ODD_EACH).fill({ title }));

const REQUESTS: Readonly<Record<string, (name: string) => AttackRequest>> = {
  beforeCreate: batchOf,
  beforeUpdate: (title) => request('PUT', { query: { title }, update: { other: title } }),
  beforeDelete: (title) => request('DELETE', { query: { title } }),
  beforeGet: read,
  afterGet: read,
  afterCreate: (title) => request('POST', Array(8).fill({ title })),
  afterUpdate: (title) => request('PUT', { query: { title }, update: { other: title } }),
  afterDelete: (title) => request('DELETE', { query: { title } }),
};

/** Documents and pages are read in one way each, and what nobody uses is not read at all: there a few will do. */
const FEW = ['proto', 'texts', 'emptyLists', 'deepObjects'];
const UNUSED = ['texts', 'emptyLists'];
const NAMES: Readonly<Record<string, readonly string[]>> = {
  beforeCreate: Object.keys(SHAPES),
  beforeUpdate: FEW,
  beforeGet: FEW,
  afterGet: [...FEW, ...Object.keys(ODD), 'manyNames', 'allowedLists'],
};

/** Refused in words of the hook, or what the collection, the filter or the database says of it, or taken. */
const ENDS: Attack['expect'] = {
  codes: [
    ...['API-0002', 'ENDPOINT_CRASHED', 'ENDPOINT_BUSY', 'BAD_REQUEST', 'Invalid Parameter'],
    ...[
      'VALIDATION_FAILED',
      'DOCUMENT_INVALID',
      'ERROR_NOT_IN_SCHEMA',
      'RESULT_TOO_LARGE',
      'ERROR_VALUE_INVALID',
    ],
  ],
  orBytes: 20_000_000,
};

/** The attack of all shapes, one after the other, by the hook of an event. */
export function shapesOf(event: string): Attack {
  const one = REQUESTS[event] ?? read;
  const names = NAMES[event] ?? UNUSED;
  const created = request(
    'POST',
    names.flatMap((title) => [{ title }, { title }]),
  );
  return {
    title: `results of every size and shape: ${event}`,
    source: SOURCE,
    hook: event,
    requests: [...(event.endsWith('Create') ? [] : [created]), ...names.map(one)],
    expect: ENDS,
  };
}
