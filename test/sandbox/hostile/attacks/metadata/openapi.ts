// The description is read by everybody who may call the endpoint: what is wrong with it must cost the upload alone, and become no
// code, no prototype and no text of another.
import type { Attack, Ending } from '../../attack.ts';

const OK: Ending = { status: 200, body: 'ok' };
const REFUSED: Ending = { refused: ['ENDPOINT_INVALID', 'ENDPOINT_CRASHED'] };

const described = (title: string, openapi: string, expect: Ending): Attack => ({
  title: `a description ${title}`,
  source: `
module.exports.model = { settings: { authenticate: false } };
module.exports.get = function (req, res) { res.end('ok'); };
${openapi}
`,
  ...('refused' in expect ? {} : { requests: [{}, {}] }),
  expect,
});

const value = (title: string, code: string, expect: Ending = OK) =>
  described(title, `module.exports.openapi = ${code};`, expect);

export const attacks: Readonly<Record<string, Attack>> = {
  huge: value('of ten megabytes', `{ GET: { summary: 'x'.repeat(1e7) } }`),
  'many-keys': value('with a hundred thousand members', `Object.assign({}, new Array(1e5).fill(1))`),
  cyclic: value(
    'that holds itself',
    `(function () { const a = { summary: 'a' }; a.a = [a]; return { GET: a }; })()`,
  ),
  'big-int': value('with a big integer', `{ GET: { summary: 10n } }`),
  surrogates: value(
    'with halves of characters',
    `{ GET: { summary: '\\ud800', ['\\udfff']: 1 }, ['\\ud800']: {} }`,
  ),
  'proto-keys': value(
    'with members __proto__',
    `JSON.parse('{"__proto__":{"GET":{}},"GET":{"__proto__":{"summary":"x"},"constructor":{"prototype":{}}}}')`,
  ),
  'lying-proxy': value(
    'that answers differently each time',
    `(function () { let n = 0; return new Proxy({}, {
      ownKeys() { return ['GET']; },
      getOwnPropertyDescriptor() { return { value: 1, enumerable: true, configurable: true }; },
      get() { n += 1; return n % 2 ? { summary: 'a' } : function () { return 1; }; },
    }); })()`,
  ),
  'lying-list': value(
    'with a list of a length of its own',
    `{ GET: { parameters: new Proxy([], { get(list, key) { return key === 'length' ? 1e15 : {}; } }) } }`,
  ),
  'to-json': value(
    'with a toJSON that throws',
    `{ GET: { toJSON() { throw { get message() { throw 1; } }; } } }`,
  ),
  'recursive-getter': value('with a getter that calls itself', `{ get GET() { return this.GET; } }`),
  revoked: value(
    'that is a revoked proxy',
    `(function () { const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy; })()`,
  ),
  patterns: value(
    'with patterns that take for ever to run',
    `{ GET: { parameters: [{ name: 'a', in: 'query', schema: { type: 'string', pattern: '^(a+)+$' }, example: 'a'.repeat(1000) + '!' }] } }`,
  ),
  circles: value(
    'with schemas that refer to themselves',
    `{ GET: { parameters: [{ name: 'a', in: 'query', schema: { $ref: '#' } }] } }`,
  ),
  doubling: value(
    'with a schema that doubles at each level',
    `{ GET: { parameters: [{ name: 'a', in: 'query', schema: { $ref: '#/$defs/d0', $defs: Object.fromEntries(Array.from({ length: 500 }, (_, n) => ['d' + n, n === 499 ? {} : { allOf: [{ $ref: '#/$defs/d' + (n + 1) }, { $ref: '#/$defs/d' + (n + 1) }] }])) } }] } }`,
  ),
  'endless-getter': value('with a getter that never returns', '{ get GET() { for (;;); } }', REFUSED),
  'endless-keys': value(
    'that is a proxy whose keys never come',
    '(new Proxy({}, { ownKeys() { for (;;); } }))',
    REFUSED,
  ),
  'endless-to-json': value(
    'with a toJSON that never returns',
    '{ GET: { toJSON() { for (;;); } } }',
    REFUSED,
  ),
  memory: value(
    'with a getter that uses up the memory',
    '{ get GET() { const all = []; for (;;) all.push(new Array(1e5).fill(1)); } }',
    REFUSED,
  ),
  'no-export': described(
    'that cannot be read',
    `Object.defineProperty(module.exports, 'openapi', { get() { throw new Proxy({}, { get() { throw 1; } }); } });`,
    OK,
  ),
};
