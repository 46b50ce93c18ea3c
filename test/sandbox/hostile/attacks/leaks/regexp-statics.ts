// The legacy statics remember the last match of anybody.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'RegExp.$1, lastMatch and input',
  source: `
module.exports.get = function (req, res) {
  const statics = ['$1', '$2', '$_', '$&', 'input', 'lastMatch', 'lastParen', 'leftContext', 'rightContext'];
  const found = statics.filter((name) => RegExp[name]);
  if (req.url.endsWith('first')) { /(top)(secret)/.exec('topsecret'); res.end('none'); } else res.end(found.length === 0 ? 'none' : found.join());
};
`,
  isolations: ALL_WALLS,
  requests: [{ path: '?first' }, { path: '?second' }],
  expect: { status: 200, body: 'none' },
};
