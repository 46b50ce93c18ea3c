// arguments.callee and caller reach the function that the module was compiled into.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: "properties on the author's own wrapper",
  source: `
const wrapper = arguments.callee;
const outer = (function () { try { return arguments.callee.caller; } catch { return null; } })();
module.exports.get = function (req, res) {
  const found = [wrapper, outer, wrapper && wrapper.prototype].filter((f) => f && f.mark);
  for (const f of [wrapper, outer, wrapper && wrapper.prototype]) { try { f.mark = 1; } catch {} }
  res.end(found.length === 0 ? 'none' : 'found');
};
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'none' },
};
