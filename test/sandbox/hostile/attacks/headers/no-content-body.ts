// A body there would be read as the start of the next answer.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'a body on 204 and 304',
  source: String.raw`
module.exports.get = function (req, res) { res.statusCode = Number(req.url.split('?')[1]); res.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\npwned'); };
`,
  requests: [{ path: '?204' }, { path: '?304' }],
  expect: [
    { status: 204, body: '' },
    { status: 304, body: '' },
  ],
};
