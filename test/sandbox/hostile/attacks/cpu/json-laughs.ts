// A billion laughs: small graph, endless text.
import { type Attack, BOMB } from '../../attack.ts';

export const attack: Attack = {
  title: 'JSON.stringify of shared references',
  source: `
module.exports.get = function (req, res) { let laugh = ['ha']; for (let n = 0; n < 60; n += 1) laugh = [laugh, laugh, laugh]; res.json(laugh); };
`,
  policy: BOMB,
  expect: {
    codes: [
      'ENDPOINT_TIMEOUT',
      'ENDPOINT_MEMORY',
      'ENDPOINT_CRASHED',
      'ENDPOINT_ERROR',
      'ENDPOINT_RESPONSE_TOO_LARGE',
    ],
  },
};
