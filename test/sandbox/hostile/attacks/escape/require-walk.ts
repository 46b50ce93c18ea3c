// require gives the facade of Model and nothing else.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'require of builtins, files and tricks',
  source: probe(String.raw`
for (const name of ['fs', 'node:fs', 'child_process', 'node:process', 'module', 'vm', 'worker_threads', 'isolated-vm', './index.js', '/etc/passwd', '../x', '', '__proto__', 'constructor', '@dadi/api/package.json', '@dadi/api\u0000', { toString: () => 'fs' }, ['fs']]) {
  attempt(String(name), () => require(name) && 'loaded');
}
for (const key of ['main', 'cache', 'resolve', 'extensions', 'paths']) attempt(key, () => outside(require[key]) || require[key]);
attempt('module.require', () => module.require && module.require('fs'));
attempt('module.constructor', () => outside(module) || (module.constructor && module.constructor._load));
attempt('module.parent', () => module.parent || module.children || module.paths || module.filename);
`),
  expect: HELD,
};
