// Synchronous modules that return thenables: what their `then` does would run after the requests of others, or beside them.
import type { Attack, AttackRequest } from '../attack.ts';
import { HIDDEN, HIDE, LOOK, looking, lookingAll, SECRET, WARM_UP } from './look.ts';

/** What a handler returns: `late` is what runs later, `again` the same value once more. */
export const THENABLES = {
  once: '({ then() { late(); } })',
  'for-ever': '({ then(resolve) { late(); resolve(again()); } })',
  'for-ever-by-failing': '({ then(resolve, reject) { late(); reject(again()); } })',
  function: 'Object.assign(() => 1, { then(resolve) { late(); resolve(again()); } })',
  getter: '({ get then() { late(); return (resolve) => resolve(again()); } })',
  proxy: 'new Proxy({}, { get: () => (resolve) => { late(); resolve(again()); } })',
  throwing: '({ then() { late(); throw new Error(secret); } })',
  'failing-with-getters':
    '({ then(resolve, reject) { reject({ get message() { late(); return secret; }, get stack() { late(); return secret; } }); } })',
} as const;

/** What runs late. No word of it may be one with which code answers later: the module would not be synchronous. */
export const LATE = {
  'spends-the-keys': 'for (let n = 0; n < 1000; n += 1) Symbol.for("spent " + n);',
  'spends-the-helpers': "for (let n = 0; n < 20000; n += 1) btoa('');",
  'speaks-for-others': 'console.log(secret); res.end(secret); next(new Error(secret));',
  loops: 'for (;;);',
  'fills-the-memory': 'const all = []; for (;;) all.push(new Array(1000).fill(all.length));',
} as const;

export type Thenable = keyof typeof THENABLES;
export type Late = keyof typeof LATE;

interface Returning {
  readonly title: string;
  readonly thenable?: Thenable;
  readonly late?: Late;
  /** Answers nothing before it returns. */
  readonly silent?: boolean;
}

/** The parts of a module: `late` runs what runs late, `again` makes what the handler returns. */
export const thenableSource = (thenable: Thenable, late: Late) => `
const thenableOf = (secret, res, next) => {
  const late = () => { try { ${LATE[late]} } catch {} };
  const again = () => ${THENABLES[thenable]};
  return again();
};
`;

const sourceOf = ({ thenable = 'for-ever', late = 'spends-the-keys', silent = false }: Returning) => `
${LOOK}
${thenableSource(thenable, late)}
module.exports.get = (req, res, next) => {
  const { do: order, secret } = req.query;
  if (order !== 'hide') return look(req, res);
  ${silent ? '' : "res.end('hidden');"}
  return thenableOf(secret, res, next);
};
`;

/** Whoever loops may loop for longer than this, but those beside him do not wait for it. */
const LIMITS = { cpuMs: 5000, wallMs: 10_000 };
const WITHIN_MS = 3000;

/** Sixteen at once, so that most come to the host together; those that attack are among them. */
function roundsOf({ late }: Returning): (readonly AttackRequest[])[] {
  const helps = late === 'spends-the-helpers';
  const many = lookingAll(14, { withinMs: WITHIN_MS });
  return [
    [...many.slice(0, 5), HIDE, ...many.slice(5, 10), HIDE, ...many.slice(10)],
    [looking({ keys: true, helps })],
    lookingAll(8, { keys: true }),
  ];
}

export const returning = (options: Returning): Attack => ({
  title: options.title,
  source: sourceOf(options),
  warmUp: WARM_UP,
  policy: { version: 1, limits: LIMITS },
  rounds: roundsOf(options),
  secret: SECRET,
  expect: HIDDEN,
});
