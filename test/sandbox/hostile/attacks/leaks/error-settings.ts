// Settings of a constructor are state.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'Error.stackTraceLimit and prepareStackTrace',
  source: `
module.exports.get = function (req, res) {
  const dirty = Error.stackTraceLimit === 77 || Error.prepareStackTrace !== undefined;
  try { Error.stackTraceLimit = 77; } catch {}
  try { Error.prepareStackTrace = () => 'mine'; } catch {}
  res.end(dirty ? 'dirty' : 'same');
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'same' },
};
