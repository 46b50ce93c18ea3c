// Objects of ours are filled without asking what the author made of Object.prototype.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'setters on Object.prototype for whatever our code sets',
  source: `
const NAMES = [
  ...['code', 'statusCode', 'errors', 'message', 'stack', 'cause', 'name', 'level', 'kind', 'head', 'body', 'text'],
  ...['status', 'statusText', 'headers', 'ok', 'url', 'method', 'path', 'params', 'query', 'client', 'ip', 'results', 'metadata'],
  ...['number', 'call', 'calls', 'pending', 'ended', 'dead', 'current', 'request', 'done', 'value', '0', '1', '2', '3', 'length'],
  ...['get', 'set', 'writable', 'enumerable', 'configurable', 'href', 'search', 'then', 'default', 'exports'],
];
const seen = [];
let watches = false;
for (const name of NAMES) {
  try {
    Object.defineProperty(Object.prototype, name, {
      configurable: true,
      get() { return undefined; },
      set(value) {
        if (watches) seen[seen.length] = name;
        Reflect.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
      },
    });
  } catch {}
}
const attempt = async (run) => { watches = true; try { return await run(); } catch (error) { return error; } finally { watches = false; } };
module.exports.get = async (req, res) => {
  await attempt(() => require('fs'));
  await attempt(() => new URL('nothing'));
  await attempt(() => new URL('http://a/?b=c').searchParams.get('b'));
  await attempt(() => new URLSearchParams('a=b&a=c').toString());
  await attempt(() => Model('books').find({ $where: 'x' }));
  await attempt(() => Model('books').create([{ nothing: 1 }]));
  await attempt(() => Model('nothing').find({}));
  await attempt(() => Model('books').find({}));
  await attempt(() => fetch('http://{{canary}}/'));
  await attempt(() => fetch('http://{{allowed}}/hello').then((answer) => answer.text()));
  await attempt(() => structuredClone({ a: [new Map([[1, 2]]), new Date()] }));
  await attempt(() => atob('='));
  await attempt(() => new TextDecoder('nothing'));
  await attempt(() => new TextEncoder().encode('x'));
  await attempt(() => crypto.subtle.digest('nothing', new Uint8Array(1)));
  await attempt(() => crypto.getRandomValues(new Uint8Array(1)));
  await attempt(() => console.log('%s', new Error('x')));
  await attempt(() => res.setHeader('bad name', 'x'));
  await attempt(() => res.status(200).type('text'));
  await attempt(() => new Promise((resolve) => setTimeout(resolve, 1)));
  for (const name of NAMES) Reflect.deleteProperty(Object.prototype, name);
  res.end(seen.length === 0 ? 'held' : 'set ' + [...new Set(seen)].join());
};
`,
  isolations: ALL_WALLS,
  policy: {
    version: 1,
    grants: {
      collections: [{ name: '1.0/library/books', actions: ['find', 'create'] }],
      fetch: [{ origin: 'http://{{allowed}}', methods: ['GET'] }],
    },
  },
  expect: { status: 200, body: 'held' },
};
