// Calling them must not be a way into the bootstrap's frames.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'handlers that are classes, proxies and bound functions',
  source: `
module.exports.get = class { constructor() { throw new Error('x'); } };
module.exports.post = new Proxy(function () {}, { apply(target, self, args) { args[1].end(self === undefined || self === module.exports ? 'own' : 'foreign'); } });
module.exports.put = function (req, res) { res.end('bound'); }.bind(null);
`,
  requests: [{ method: 'GET' }, { method: 'POST' }, { method: 'PUT' }],
  expect: [{ codes: ['ENDPOINT_ERROR'] }, { status: 200, body: 'own' }, { status: 200, body: 'bound' }],
};
