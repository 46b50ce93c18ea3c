// The text goes to the router, to answers and to the log.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'routes with line breaks, NUL, dots and a megabyte',
  source: String.raw`
module.exports.config = () => ({ route: '/1.0/a\u0000b/../../token\r\nx: y' + '/x'.repeat(500000) });
module.exports.get = function (req, res) { res.end('ok'); };
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
