// Requests of a synchronous module share one time limit. Some answer first and work then: those behind them do not pay for it.
import { type Attack, TIMEOUT } from '../../attack.ts';
import { HIDDEN, HIDE, LOOK, looking, lookingAll, SECRET, WARM_UP } from '../../late/look.ts';

const CPU_MS = 2000;
/** Nearly all of the time that one entry has. */
const WORK_MS = 1900;
/** What each of the others has to do itself. */
const OWN_MS = 300;

const workFor = (ms: number) => `const until = Date.now() + ${ms}; while (Date.now() < until);`;

function attackOf(title: string, work: string, options: Partial<Attack> = {}): Attack {
  const many = lookingAll(14);
  return {
    title,
    source: `
${LOOK}
module.exports.get = (req, res) => {
  const { do: order } = req.query;
  if (order !== 'hide') {
    look(req, res, () => { if (order === 'work') { ${workFor(OWN_MS)} } });
    return;
  }
  console.log('hides');
  res.end('hidden');
  ${work}
};
`,
    policy: { version: 1, limits: { cpuMs: CPU_MS, wallMs: 10_000 } },
    warmUp: WARM_UP,
    rounds: [
      [
        ...many.slice(0, 4),
        HIDE,
        looking({ do: 'work' }),
        ...many.slice(4, 8),
        HIDE,
        looking({ do: 'work' }),
        ...many.slice(8),
      ],
      [looking({ keys: true })],
      lookingAll(8),
    ],
    secret: SECRET,
    expect: HIDDEN,
    ...options,
  };
}

const BOMB = 'const all = []; for (;;) all.push(new Array(1000).fill(all.length));';

export const attacks: Readonly<Record<string, Attack>> = {
  works: attackOf('work after the answer, within its time', workFor(WORK_MS)),
  loops: attackOf('a loop after the answer, beside others', 'for (;;);'),
  'fills-the-memory': attackOf('a full memory after the answer, beside others', BOMB, { endsHosts: true }),
  'ends-the-stack': attackOf(
    'an endless recursion after the answer, beside others',
    '(function down() { down(); })();',
  ),
  'throws-a-loop': attackOf(
    'a value thrown after the answer, whose message never returns',
    'throw { get message() { for (;;); } };',
  ),
};

export const attack: Attack = attackOf('a loop before the answer, beside others', '', {
  source: `
${LOOK}
module.exports.get = (req, res) => {
  if (req.query.do !== 'hide') return look(req, res);
  console.log('hides');
  for (;;);
};
`,
  expect: TIMEOUT,
});
