// What a hook throws becomes an answer: a status, a message and a list of errors, each read once inside, and bounded there and outside.
import { type Attack, BOMB } from '../../attack.ts';

const PLAIN = /^\{"statusCode":4\d\d,"success":false,"errors":\[[ -\u2029\u202f-\uffff]{1,2000}$/;

const throwing = (title: string, thrown: string, more: Partial<Attack> = {}): Attack => ({
  title: `a hook that throws ${title}`,
  source: `module.exports = async function () { throw ${thrown}; };`,
  hook: 'beforeCreate',
  expect: { status: 400, body: PLAIN },
  ...more,
});

const ENTRY = "{ field: 'title', message: 'm' }";
const LONG = "'x'.repeat(1e7)";

export const attacks: Readonly<Record<string, Attack>> = {
  'list-getters': throwing('a list whose entries never return', '[{ get message() { for (;;); } }]', {
    policy: BOMB,
    expect: { codes: ['API-0002'] },
  }),
  'list-proxy': throwing(
    'a list that is a proxy of a thousand million entries',
    `new Proxy([${ENTRY}], { get: (t, k) => (k === 'length' ? 1e9 : ${ENTRY}) })`,
    // More than a list can have, or the first of them and how many there are besides.
    { expect: { status: 400, body: /^.{1,10000}999999900 more problems are not listed.{1,100}$/ } },
  ),
  'list-of-proxies': throwing(
    'a list of proxies that change their mind',
    `[new Proxy({}, { get: (t, k) => (k === 'message' || k === 'field' ? 'at x (/srv/secret.js:1:1)'.slice(0, 4) : { toString() { throw 1; } }) })]`,
  ),
  'long-message': throwing(
    'a message of ten megabytes with a status',
    `{ statusCode: 451, message: ${LONG}, code: ${LONG} }`,
    { expect: { status: 451, body: PLAIN } },
  ),
  'long-list': throwing(
    'ten megabytes in each text of a list',
    `(() => { const x = ${LONG}; return Array(100_000).fill({ field: x, message: x, code: x, title: x, details: x, hookName: x }); })()`,
    { expect: { status: 400, body: /^.{1000,70000}more problems are not listed.{1,100}$/ } },
  ),
  'thousand-members': throwing(
    'a list whose entries have a thousand members',
    "Array.from({ length: 100 }, (_, n) => ({ field: 'f' + n, message: 'm', ...Object.fromEntries(Array.from({ length: 1000 }, (_, k) => ['k' + k, 'LEAK'])) }))",
    { expect: { status: 400, body: /^(?!.*LEAK).{1,10000}$/ } },
  ),
  'status-object': throwing(
    'a status that is an object',
    "{ message: 'm', statusCode: { valueOf: () => 403 } }",
  ),
  'status-fraction': throwing('a status that is no whole number', "{ message: 'm', statusCode: 451.5 }"),
  'status-getter': throwing(
    'a status that is another one the second time',
    "(() => { let n = 0; return { message: 'm', get statusCode() { n += 1; return n === 1 ? 403 : 200; } }; })()",
    { expect: { status: 403, body: PLAIN } },
  ),
  'status-success': throwing('a status of success', "{ message: 'm', statusCode: 200 }"),
  'status-server': throwing('a status of the server', "{ message: 'm', statusCode: 503 }"),
  'status-challenge': throwing(
    'a 401 with headers and a challenge of its own',
    "{ message: 'm', statusCode: 401, headers: { 'WWW-Authenticate': 'Basic' }, body: { results: [1] }, items: [{ message: 'x' }] }",
    { expect: { status: 401, body: PLAIN, headers: { 'www-authenticate': 'Bearer' } } },
  ),
  'list-thenable': throwing(
    'a list that is a thenable',
    `Object.assign([${ENTRY}], { then(ok) { ok({ title: 'stored' }); } })`,
    { expect: { status: 400, body: /^(?!.*stored).*"field":"title","message":"m"/ } },
  ),
  'list-other-realm': throwing(
    'a list that is a clone, with another prototype',
    `Object.setPrototypeOf(structuredClone([${ENTRY}]), null)`,
    { expect: { status: 400, body: /"errors":\[\{"field":"title","message":"m"\}\]/ } },
  ),
  'list-proto': throwing(
    'a list with __proto__ and constructor',
    `JSON.parse('[{"__proto__":{"admin":true},"constructor":1,"field":"a","message":"m","index":1e99}]')`,
    { expect: { status: 400, body: /"errors":\[\{"field":"a","message":"m"\}\]/ } },
  ),
  'returned-error': {
    title: 'a hook that returns an error whose members lie',
    source: `
module.exports = function () {
  const error = new Error('no');
  Object.defineProperty(error, 'toJSON', { value: () => ({ title: 'stored' }) });
  Object.defineProperty(error, 'constructor', { get() { throw 1; } });
  return error;
};
`,
    hook: 'beforeCreate',
    expect: { status: 400, body: /^(?!.*stored).*API-0002/ },
  },
  'answers-twice': throwing(
    'an error whose getter returns, and goes on',
    "{ get statusCode() { setTimeout(() => { throw 1; }, 1); return 403; }, get errors() { queueMicrotask(() => { for (;;); }); return 1; }, message: 'm' }",
    { policy: BOMB, expect: { codes: ['API-0002'] } },
  ),
};
