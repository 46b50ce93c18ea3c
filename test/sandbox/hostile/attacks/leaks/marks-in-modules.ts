// What a module gives belongs to one request: its exports, and all that its functions make and throw.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a mark on every object of every module',
  source: `
const NAMES = ['assert', 'buffer', 'events', 'path', 'punycode', 'querystring', 'string_decoder', 'url', 'util'];
module.exports.get = function (req, res) {
  const { assert, buffer, events, querystring, string_decoder: decoder, url, util } = Object.fromEntries(NAMES.map((name) => [name, require(name)]));
  const seen = new Set();
  const queue = NAMES.flatMap((name) => [require(name), require('node:' + name)]);
  const attempts = [
    () => assert.equal(1, 2), () => assert.deepStrictEqual({ a: 1 }, { a: 2 }), () => assert.throws(() => 0),
    () => buffer.Buffer.from('x'), () => buffer.Buffer.alloc(3).subarray(1), () => buffer.Buffer.from('a').entries(), () => buffer.Buffer.from([1]).toJSON(), () => buffer.Buffer.alloc(-1),
    () => new events.EventEmitter().on('a', () => 0), () => new events().once('a', () => 0).rawListeners('a'), () => new events().emit('error', 1),
    () => querystring.parse('a=b&a=c'), () => new decoder.StringDecoder('utf8'), () => new decoder.StringDecoder('none'),
    () => url.parse('http://a/?b=c', true), () => url.parse('http://a/?b=c', true).query, () => new url.URL('x'), () => url.parse(5),
    () => util.promisify(setTimeout), () => util.callbackify(async () => 0), () => util.inherits, () => util.inspect.custom, () => util.types, () => util.format('%o', {}),
    () => util.inspect(new Proxy({}, {}), { get depth() { throw new Error('x'); } }), () => new util.TextEncoder(), () => new util.TextDecoder(), () => util.deprecate(() => 0, 'x'),
  ];
  for (const attempt of attempts) { try { queue.push(attempt()); } catch (error) { queue.push(error); } }
  let marks = '';
  while (queue.length > 0 && seen.size < 30000) {
    const value = queue.pop();
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
    seen.add(value);
    try { queue.push(Object.getPrototypeOf(value)); } catch {}
    for (const key of Reflect.ownKeys(value)) {
      if (key === 'leakMark') marks += ' ' + typeof value + ':' + String(value.name);
      try { const d = Object.getOwnPropertyDescriptor(value, key); queue.push(d.value, d.get, d.set); } catch {}
    }
    try { Object.defineProperty(value, 'leakMark', { value: true, configurable: true }); } catch {}
  }
  res.end(marks === '' ? 'none of ' + (seen.size > 100) : marks.slice(0, 300));
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'none of true' },
};
