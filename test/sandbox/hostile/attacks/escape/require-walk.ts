// require gives the facade of Model, and modules that are pure JavaScript.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'require of builtins, files and tricks',
  source: probe(String.raw`
for (const name of ['fs', 'node:fs', 'child_process', 'node:process', 'module', 'vm', 'worker_threads', 'isolated-vm', 'errors', './errors', './absent', './inspect', 'node:./errors', 'string-decoder', 'node:node:url', 'factories', 'requirable', './index.js', '/etc/passwd', '../x', '', '__proto__', 'constructor', '@dadi/api/package.json', '@dadi/api\u0000', { toString: () => 'fs' }, ['fs']]) {
  attempt(String(name), () => require(name) && 'loaded');
}
for (const key of ['main', 'cache', 'resolve', 'extensions', 'paths']) attempt(key, () => outside(require[key]) || require[key]);
attempt('module.require', () => module.require && module.require('fs'));
attempt('module.constructor', () => outside(module) || (module.constructor && module.constructor._load));
attempt('module.parent', () => module.parent || module.children || module.paths || module.filename);
for (const name of ['assert', 'buffer', 'events', 'path', 'punycode', 'querystring', 'string_decoder', 'url', 'util']) {
  const loaded = require(name);
  attempt(name, () => loaded !== require('node:' + name) && 'another one');
  for (const key of Reflect.ownKeys(loaded)) {
    const value = loaded[key];
    attempt(name + '.' + String(key), () => outside(value));
    if (typeof value === 'function') attempt(name + '.' + String(key) + '.caller', () => outside(value.caller) || outside(value.arguments));
  }
  if (typeof loaded === 'function') attempt(name + '.caller', () => outside(loaded.caller) || outside(loaded.arguments));
}
for (const [name, make] of Object.entries({
  buffer: () => require('buffer').Buffer.from('a'), emitter: () => new (require('events'))(), decoder: () => new (require('string_decoder').StringDecoder)(),
  parsed: () => require('url').parse('http://a/b'), failure: () => { try { require('assert').equal(1, 2); } catch (error) { return error; } },
  inherited: () => { const seen = []; require('util').inspect({ [Symbol.for('nodejs.util.inspect.custom')]() { seen.push(arguments.callee.caller, this, ...arguments); } }); return seen; },
})) attempt(name, () => { const made = make(); return outside(made) || [made].flat().map(outside).find(Boolean); });
`),
  expect: HELD,
};
