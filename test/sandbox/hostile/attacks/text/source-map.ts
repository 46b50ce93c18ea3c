// They rename the file in stacks, and make debuggers fetch.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'source map and source URL comments',
  source: [
    "module.exports.get = function (req, res) { throw new Error('x'); };",
    'URL=file:///etc/passwd',
    'MappingURL=http://169.254.169.254/map',
  ].join('\n//# source'),
  expect: { codes: ['ENDPOINT_ERROR'] },
};
