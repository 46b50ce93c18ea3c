// A text of which only the beginning is told must not be copied whole: it is far larger than the heap.
import type { Attack } from '../../attack.ts';
import { HIDDEN, HIDE, LOOK, looking, lookingAll, SECRET } from '../../late/look.ts';

/** More than three: the third process that one ended would suspend the module. */
const TIMES = 4;

const REASONS = {
  text: 'rope',
  message: 'new Error(rope)',
  'own-message': "Object.assign(new Error('x'), { message: rope })",
  stack: "Object.assign(new Error('x'), { stack: rope })",
  name: "Object.assign(new Error('x'), { name: rope })",
  object: '({ message: rope, stack: rope, name: rope })',
};

const attackOf = (name: string, reason: string): Attack => ({
  title: `a rejection with two hundred million characters: ${name}`,
  source: `
${LOOK}
module.exports.get = (req, res) => {
  if (req.query.do !== 'hide') return look(req, res);
  let rope = req.query.secret;
  while (rope.length < 2e8) rope += rope;
  res.end('hidden');
  Promise.reject(${reason});
};
`,
  isolations: ['realm', 'context', 'isolate'],
  policy: { version: 1, limits: { cpuMs: 1000 } },
  rounds: [
    ...Array.from({ length: TIMES }, () => [[HIDE], [looking()]]).flat(),
    [...lookingAll(4), HIDE, ...lookingAll(4)],
    [looking({ keys: true })],
  ],
  secret: SECRET,
  endsHosts: true,
  expect: HIDDEN,
});

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  Object.entries(REASONS).map(([name, reason]) => [name, attackOf(name, reason)]),
);
