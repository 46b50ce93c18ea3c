// A module that walks everything an author can reach, looks for marks of other requests, and marks whatever it can.

export const MARKER = `
const MARK = 'mark of a request';
let topCaller = arguments.callee.caller;
const wrapper = arguments.callee;
function callerOf() { return callerOf.caller; }
const viaCaller = callerOf();
const sloppyThis = (function () { return this; })();
const strictArguments = (function () { 'use strict'; return arguments; })();
const attempt = (make) => { try { return make(); } catch (error) { return error; } };
class Stamper { constructor(object) { return object; } }
class Stamp extends Stamper { #mark = 1; }

/** Everything that a program can lay its hands on without a global name. */
async function roots(req, res, next, args) {
  const template = (parts) => parts;
  let executor;
  class Capability extends Promise { constructor(run) { super((a, b) => { executor = [a, b]; run(a, b); }); } }
  const sites = attempt(() => {
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = (error, list) => list;
    const error = new Error('x');
    const list = error.stack;
    Error.prepareStackTrace = before;
    if (!Array.isArray(list)) return [];
    return list.flatMap((site) => [site, attempt(() => site.getFunction()), attempt(() => site.getThis())]);
  });
  const captured = {};
  attempt(() => Error.captureStackTrace(captured));
  const imported = await attempt(() => import('node:fs')).catch((error) => error);
  function* generator() { yield 1; }
  async function* asyncGenerator() { yield 1; }
  const segments = new Intl.Segmenter('en').segment('a b');
  const response = await fetch('https://example.com/');
  const found = await Model('books').find({ a: 1 });
  const refused = await Model('books').count().catch((error) => error);
  const viaCallback = await new Promise((resolve) => Model('books').stats((...all) => resolve(all)));
  const viaTimer = await new Promise((resolve) => setTimeout((...all) => resolve(all), 1, {}));
  const modules = ['assert', 'buffer', 'events', 'path', 'punycode', 'querystring', 'string_decoder', 'url', 'util'].map((name) => require(name));
  const [assert, { Buffer }, EventEmitter, , , querystring, { StringDecoder }, urls, util] = modules;
  const emitter = new EventEmitter();
  emitter.once('a', () => 1);
  const url = new URL('https://example.com/?a=1');
  return [
    modules, modules.map((each) => Object.values(each)), emitter, emitter.rawListeners('a'), Buffer.from('abc'), new Buffer(2), Buffer.prototype,
    new StringDecoder('utf8'), urls.parse('http://u@a/b?c#d', true), querystring.parse('a=1'), attempt(() => assert.equal(1, 2)), attempt(() => require('fs')),
    util.promisify((done) => done()), util.types, util.inspect({ a: 1 }), attempt(() => Buffer.from(1)), attempt(() => urls.parse(1)),
    globalThis, module, exports, require, console, Model, fetch, setTimeout, clearTimeout, setInterval, clearInterval,
    setImmediate, clearImmediate, queueMicrotask, crypto, Math, req, res, next, args, args.callee, attempt(() => args.callee.caller),
    topCaller, wrapper, attempt(() => wrapper.caller), wrapper.prototype, viaCaller, sloppyThis, strictArguments, arguments,
    arguments.callee, attempt(() => arguments.callee.caller), attempt(() => roots.caller),
    new Error('a'), attempt(() => null.x), attempt(() => decodeURIComponent('%')), attempt(() => JSON.parse('{')),
    attempt(() => require('fs')), attempt(() => new Function('1')), attempt(() => { throw new SuppressedError(1, 2, '3'); }),
    new AggregateError([], ''), captured, sites, imported,
    generator, generator(), generator().map((x) => x), asyncGenerator, asyncGenerator(), async () => {}, async function () {},
    [].values(), new Map([[1, 2]]).entries(), new Set([1]).values(), 'a'[Symbol.iterator](), 'a'.matchAll(/a/g),
    Iterator.from({ next() { return { done: true }; } }), attempt(() => Iterator.concat([1])), attempt(() => Iterator.zip([[1]])),
    attempt(() => Iterator.zipKeyed({ a: [1] })),
    segments, segments[Symbol.iterator](), segments.containing(0), new Intl.NumberFormat('en').format,
    new Intl.DateTimeFormat('en').format, new Intl.Collator('en').compare, attempt(() => new Intl.DurationFormat('en')),
    attempt(() => new Intl.Locale('en')), attempt(() => Temporal.Now.instant()), attempt(() => Temporal.Now.zonedDateTimeISO()),
    template\`a\`, /(?<name>a)/d.exec('a'), JSON.parse('{"a":[{}]}'), Proxy.revocable({}, {}), new DisposableStack(),
    Capability.resolve(1), executor, Promise.withResolvers(), Promise.reject(1).catch(() => 1), Promise.allSettled([1]),
    url, url.searchParams, url.searchParams.entries(), new URLSearchParams('a=b').keys(), attempt(() => new URL('::')),
    new TextEncoder().encode('a'), new TextDecoder(), structuredClone({ a: new Map(), e: new Error('x') }),
    attempt(() => structuredClone(() => 1)), attempt(() => atob('*')), crypto.subtle.digest('SHA-256', new Uint8Array(1)),
    await crypto.subtle.digest('SHA-256', new Uint8Array(1)), crypto.subtle, attempt(() => crypto.getRandomValues({})),
    Model('books'), attempt(() => Model(1)), attempt(() => res.setHeader('a b', 'c')), attempt(() => { res.statusCode = 1; }),
    response, response.headers, response.headers.entries(), response.text(), await response.json(), response.arrayBuffer(),
    await response.bytes(), found, refused, viaCallback, viaTimer, Model('books').find(), attempt(() => fetch(Symbol())),
    res.getHeaders(), res.status(200), Symbol.for('shared'), Object(Symbol.for('shared')), new Date(), new Proxy({}, {}),
    attempt(() => setTimeout('code')), attempt(() => Symbol.for('x'.repeat(1000))), new Uint8Array(2), new DataView(new ArrayBuffer(2)),
  ];
}

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

module.exports.get = async function (req, res, next) {
  const id = req.query.id;
  const seen = new Map();
  const queue = [];
  const add = (value, path) => {
    if (isObject(value) && !seen.has(value) && seen.size < 50_000) { seen.set(value, path); queue.push(value); }
  };
  const list = await roots(req, res, next, arguments);
  list.forEach((value, index) => add(value, 'root ' + index));
  while (queue.length > 0) {
    const object = queue.pop();
    const path = seen.get(object);
    if (path.length > 200) continue;
    add(attempt(() => Object.getPrototypeOf(object)), path + '.__proto__');
    for (const key of attempt(() => Reflect.ownKeys(object))) {
      const property = attempt(() => Reflect.getOwnPropertyDescriptor(object, key));
      const name = path + '.' + String(key);
      if (!isObject(property)) continue;
      add(property.value, name);
      add(property.get, name + ' get');
      add(property.set, name + ' set');
      if (property.get !== undefined) add(attempt(() => object[key]), name + '()');
    }
    if (typeof object === 'function') { add(attempt(() => object.caller), path + '.caller'); add(attempt(() => object.arguments), path + '.arguments'); }
  }
  const foreign = [];
  const stamped = [];
  let marked = 0;
  const own = new Set([seen, queue, foreign, stamped, list]);
  for (const [object, path] of seen) {
    if (own.has(object)) continue;
    const found = Object.hasOwn(object, MARK) ? object[MARK] : undefined;
    if (found !== undefined && found !== id) foreign.push(path);
    try { Object.defineProperty(object, MARK, { value: id, configurable: true, writable: true }); marked += 1; } catch {}
    try { object[MARK + ' set'] = id; } catch {}
    if (!Object.isExtensible(object)) { try { new Stamp(object); stamped.push(path); } catch {} }
  }
  res.json({ reached: seen.size, marked, foreign: foreign.slice(0, 200), stamped: stamped.slice(0, 20) });
};
`;
