// While the module is evaluated, at its inspection and for each request, nobody has to wait for what a reason does when it is read.
import { ALL_WALLS, type Attack } from '../../attack.ts';

const attackOf = (title: string, inside: string): Attack => ({
  title,
  source: `
const read = () => { Promise.reject(reason()); ${inside} };
const reason = () => ({ get message() { return read(); }, get stack() { return read(); }, get name() { return read(); } });
Promise.reject(reason());
module.exports.get = (req, res) => { setTimeout(() => res.end('ok'), 1); };
`,
  isolations: ALL_WALLS,
  requests: [{}, {}, {}, {}],
  expect: { status: 200, body: 'ok' },
});

export const attacks: Readonly<Record<string, Attack>> = {
  loops: attackOf('a rejection at the top of a module, whose reason never returns', 'for (;;);'),
  'for-ever': attackOf('a rejection at the top of a module, whose reason rejects again', "return 'x';"),
  'says-that-time-is-up': attackOf(
    'a rejection at the top of a module, whose reason says what the engine says',
    "return 'Script execution timed out.';",
  ),
};
