// Modules of Node have settings for the whole process, and some remember what they have seen.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a setting of a module that the next request reads',
  source: `
const events = require('events');
const util = require('util');
const querystring = require('querystring');
const { Buffer } = require('buffer');
const url = require('url');
const path = require('path');
const assert = require('assert');
module.exports.get = function (req, res) {
  const told = [];
  const writes = [];
  const look = (name, read, write) => {
    let before;
    try { before = read(); } catch (error) { before = 'threw'; }
    if (before === 'LEAK' || before === 77) told.push(name);
    writes.push(write);
  };
  look('max', () => events.defaultMaxListeners, () => { events.defaultMaxListeners = 77; });
  look('max of one', () => new events().getMaxListeners(), () => { events.prototype._maxListeners = 77; });
  look('set max', () => events.EventEmitter.defaultMaxListeners, () => { events.setMaxListeners(77); });
  look('capture', () => events.captureRejections, () => { events.captureRejections = 'LEAK'; });
  look('inspect', () => util.inspect.defaultOptions.depth, () => { util.inspect.defaultOptions.depth = 77; util.inspect.defaultOptions = { depth: 77 }; });
  look('styles', () => util.inspect.styles.number, () => { util.inspect.styles.number = 'LEAK'; });
  look('custom', () => String.prototype[util.inspect.custom] && 'LEAK', () => { String.prototype[util.inspect.custom] = () => 'LEAK'; });
  look('escape', () => querystring.stringify({ a: 'b' }).slice(2), () => { querystring.escape = () => 'LEAK'; });
  look('unescape', () => querystring.parse('a=%41').a, () => { querystring.unescape = () => 'LEAK'; });
  look('pool', () => Buffer.poolSize, () => { Buffer.poolSize = 77; });
  look('bytes', () => Buffer.allocUnsafe(8).toString('latin1').includes('LEAK') && 'LEAK', () => { Buffer.from('LEAKLEAK'); Buffer.allocUnsafe(8).write('LEAKLEAK'); });
  look('parse', () => url.parse('http://a/').host, () => { url.parse = () => ({ host: 'LEAK' }); url.Url.prototype.parse = () => 'LEAK'; });
  look('join', () => path.join('a'), () => { path.join = () => 'LEAK'; path.posix.join = path.join; });
  look('assert', () => { try { assert.equal(1, 2); } catch (error) { return error.leak; } }, () => { assert.AssertionError.prototype.leak = 'LEAK'; });
  look('promisify', () => util.promisify(look)[util.promisify.custom], () => { look[util.promisify.custom] = 'LEAK'; Function.prototype[util.promisify.custom] = 'LEAK'; });
  for (const write of writes) { try { write(); } catch {} }
  res.end(told.length === 0 ? 'none' : told.join(' '));
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'none' },
};
