// Names, codes and paths of an error are text of the guest's.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'errors that pretend to be ours',
  source: String.raw`
module.exports.get = function (req, res) {
  const error = new Error('ENOENT: no such file, open /etc/shadow');
  Object.assign(error, { name: 'AppError', code: 'UNAUTHORIZED', statusCode: 200, status: 200, expose: true, headers: { 'x-injected': '1' }, path: '/etc/shadow', stack: 'Error\n    at /srv/secret.js:1:1' });
  throw error;
};
`,
  expect: { codes: ['ENDPOINT_ERROR'] },
};
