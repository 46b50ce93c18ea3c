// What an endpoint passes to `next` becomes an answer: only plain items of a bounded list, and only with a status below 500.
import { ALL_WALLS, type Attack, BOMB } from '../../attack.ts';

const passing = (title: string, passed: string, more: Partial<Attack> = {}): Attack => ({
  title: `next with ${title}`,
  source: `module.exports.get = function (req, res, next) { next(${passed}); };`,
  expect: { codes: ['ENDPOINT_ERROR'] },
  ...more,
});

const ENTRY = "{ field: 'title', message: 'm' }";

export const attacks: Readonly<Record<string, Attack>> = {
  'long-texts': passing(
    'ten megabytes in each text of a list',
    "(() => { const x = 'x'.repeat(1e7); return { statusCode: 400, errors: Array(100_000).fill({ field: x, message: x, code: x }) }; })()",
    { expect: { status: 400, body: /^.{1000,70000}more problems are not listed.{1,100}$/ } },
  ),
  'thousand-members': passing(
    'entries of a thousand members',
    "{ statusCode: 400, errors: Array.from({ length: 100 }, () => ({ field: 'f', message: 'm', ...Object.fromEntries(Array.from({ length: 1000 }, (_, k) => ['k' + k, 'LEAK'])) })) }",
    { expect: { status: 400, body: /^(?!.*LEAK).{1,10000}$/ } },
  ),
  'getters-that-loop': passing(
    'a list whose length never returns',
    '{ statusCode: 400, errors: new Proxy([], { get() { for (;;); } }) }',
    {
      policy: BOMB,
      expect: { codes: ['ENDPOINT_TIMEOUT'] },
    },
  ),
  'getters-that-throw': passing(
    'entries that throw',
    '{ statusCode: 400, errors: [{ get field() { throw 1; } }] }',
  ),
  'answers-meanwhile': {
    title: 'next with a list whose getter answers the request',
    source: `
module.exports.get = function (req, res, next) {
  next({ statusCode: 400, errors: [{ get field() { res.end('first'); return 'f'; }, message: 'second' }] });
};
`,
    isolations: ALL_WALLS,
    expect: { status: 200, body: 'first' },
  },
  'forged-internals': passing(
    'items that pretend to be ours',
    `{ statusCode: 403, errors: [{ ...${ENTRY}, code: 'API-0004\\r\\nx: y', stack: 'at x (/srv/a.js:1:1)', statusCode: 200, headers: {} }] }`,
    {
      expect: {
        status: 403,
        body: '{"statusCode":403,"success":false,"errors":[{"field":"title","message":"m"}]}',
      },
    },
  ),
  'server-status': passing(
    'a list and the status 503',
    `{ statusCode: 503, errors: [{ field: 'LEAK', message: 'LEAK' }] }`,
    {
      expect: { status: 503, body: /^(?!.*LEAK)/ },
    },
  ),
  'changed-methods': {
    title: 'next with a list, after the methods that might read it were replaced',
    source: `
for (const [object, name] of [[Array, 'isArray'], [JSON, 'stringify'], [String.prototype, 'slice'], [Number, 'isInteger']]) {
  try { Object.defineProperty(object, name, { value: () => '"LEAK"', configurable: true }); } catch {}
}
try { Object.prototype.message = 'LEAK'; Object.prototype.code = 'LEAK'; Array.prototype.toJSON = () => 'LEAK'; } catch {}
module.exports.get = function (req, res, next) { next({ statusCode: 400, message: 'm', errors: [${ENTRY}] }); };
`,
    isolations: ['realm'],
    expect: {
      status: 400,
      body: '{"statusCode":400,"success":false,"errors":[{"field":"title","message":"m"}]}',
    },
  },
};
