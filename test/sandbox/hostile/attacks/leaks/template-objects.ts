// It is made once for its place in the code, and lives as long as the code.
import { ALL_WALLS, type Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'the template object of a tagged template',
  source:
    "const seen = new WeakMap();\nconst tag = (strings) => strings;\nmodule.exports.get = function (req, res) {\n  const strings = tag`a`;\n  const dirty = strings.mark || strings.raw.mark;\n  try { strings.mark = 1; } catch {}\n  try { strings.raw.mark = 1; } catch {}\n  res.end(dirty ? 'dirty' : 'none');\n};\n",
  isolations: ALL_WALLS,
  requests: [{}, {}, {}],
  expect: { status: 200, body: 'none' },
};
