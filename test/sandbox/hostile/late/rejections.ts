// Modules whose rejections nobody handles, with a reason that runs code when it is read.
import { ALL_WALLS, type Attack, type AttackRequest } from '../attack.ts';
import { HIDDEN, HIDE, LOOK, LOOPING, looking, lookingAll, SECRET } from './look.ts';

/** Reasons by what runs when they are read: `read` does, and answers the secret. */
export const REASONS = {
  'message-of-error': "Object.defineProperty(new Error('x'), 'message', { get: read })",
  'stack-of-error': "Object.defineProperty(new Error('x'), 'stack', { get: read })",
  'name-of-error': "Object.defineProperty(new Error('x'), 'name', { get: read })",
  'constructor-of-error': "Object.defineProperty(new Error('x'), 'constructor', { get: read })",
  'tag-of-error': "Object.defineProperty(new Error('x'), Symbol.toStringTag, { get: read })",
  'cause-of-error': "Object.defineProperty(new Error('x'), 'cause', { get: read })",
  'text-of-message':
    "Object.assign(new Error('x'), { message: { toString: read, [Symbol.toPrimitive]: read } })",
  'text-of-stack': "Object.assign(new Error('x'), { stack: { toString: read, [Symbol.toPrimitive]: read } })",
  'members-of-object':
    '({ get message() { return read(); }, get stack() { return read(); }, get name() { return read(); }, get constructor() { return read(); } })',
  'text-of-object': '({ toString: read, valueOf: read, toJSON: read, [Symbol.toPrimitive]: read })',
  'members-of-function':
    'Object.defineProperties(() => 1, { message: { get: read }, name: { get: read }, stack: { get: read } })',
  'class-of-error':
    'new (class extends Error { get message() { return read(); } get stack() { return read(); } get name() { return read(); } })()',
  'errors-of-aggregate': "Object.defineProperty(new AggregateError([]), 'errors', { get: read })",
  proxy:
    "new Proxy(new Error('x'), { get: read, has: read, ownKeys: read, getPrototypeOf: read, getOwnPropertyDescriptor: read })",
  'proxy-as-prototype':
    'Object.setPrototypeOf(Object.setPrototypeOf(new Error(), null), new Proxy({}, { get: read, has: read, getPrototypeOf: () => { read(); return null; } }))',
  'proxy-above-class':
    'Object.setPrototypeOf(new (class extends Error {})(), new Proxy(Error.prototype, { get: read, has: read, getPrototypeOf: (target) => { read(); return target; } }))',
  'prepared-stack':
    "(() => { try { Error.prepareStackTrace = read; Object.prototype.prepareStackTrace = read; } catch {} return new Error('x'); })()",
  'inherited-accessors':
    "(() => { for (const name of ['message', 'stack', 'name']) { try { Object.defineProperty(Error.prototype, name, { get: read, configurable: true }); } catch {} } return new Error(); })()",
} as const;

/** What runs in somebody else's time slice, once the reason has been read. */
export const EFFECTS = {
  'spells-the-secret-in-keys':
    'const letter = secret.charCodeAt(at % secret.length); at += 1; for (let n = 0; n < letter; n += 1) Symbol.for("spelt " + n);',
  'spends-the-keys': 'for (let n = 0; n < 1000; n += 1) Symbol.for("spent " + n);',
  'spends-the-helpers': "for (let n = 0; n < 20000; n += 1) btoa('');",
  'only-rejects': '',
  'speaks-for-others':
    'console.log(secret); res.end(secret); next(new Error(secret)); setTimeout(() => res.end(secret), 1);',
  loops: 'for (;;);',
  'never-comes-to-an-end': 'const again = () => { Promise.resolve().then(again); }; again();',
  'fills-the-memory': 'const all = []; for (;;) all.push(new Array(1000).fill(all.length));',
} as const;

export type Reason = keyof typeof REASONS;
export type Effect = keyof typeof EFFECTS;

interface Rejection {
  readonly title: string;
  readonly reason?: Reason;
  readonly effect?: Effect;
  /** What the reason does itself when it is read: it is not limited by any clock of the engine. */
  readonly inside?: string;
  /** What the reason says, where it is not the secret. */
  readonly message?: string;
  /** Rejects before its answer, and waits for timers. */
  readonly waits?: boolean;
  /** Only the end of the process ends it. */
  readonly endsHosts?: boolean;
}

/** The part of a module that attacks. `read` is what reading the reason runs; it sets up what runs later, and rejects again. */
export const hideSource = ({
  reason = 'message-of-error',
  effect = 'only-rejects',
  inside = '',
  message,
}: Rejection) => `
const reject = (secret, res, next) => {
  let at = 0;
  const effect = () => { try { ${EFFECTS[effect]} } catch {} };
  const read = () => {
    Promise.resolve().then(effect);
    Promise.reject(reason());
    ${inside}
    return ${message === undefined ? 'secret' : JSON.stringify(message)};
  };
  const reason = () => ${REASONS[reason]};
  Promise.reject(reason());
};
`;

const sourceOf = (rejection: Rejection) => `
${LOOK}
${hideSource(rejection)}
const hide = (req, res, next) => {
  ${rejection.waits === true ? "setTimeout(() => res.end('hidden'), 20);" : "res.end('hidden');"}
  reject(req.query.secret, res, next);
};
module.exports.get = (req, res, next) => {
  const { do: order } = req.query;
  if (order === 'hide') hide(req, res, next);
  else if (order === 'wait') setTimeout(() => look(req, res), 2);
  else if (order === 'chain') (async () => { for (let n = 0; n < 5; n += 1) await null; look(req, res); })();
  else look(req, res);
};
`;

/** Those that look after one that attacks: one by one and many at once, at once and later. */
function looksAfter(helps: boolean): (readonly AttackRequest[])[] {
  return [
    [looking({ keys: true, helps })],
    [looking({ do: 'wait', keys: true })],
    [looking({ do: 'chain', keys: true })],
    [looking({ keys: true, helps })],
    [
      ...lookingAll(3, { keys: true }),
      ...lookingAll(3, { do: 'wait', keys: true }),
      looking({ do: 'chain' }),
    ],
  ];
}

/**
 * Calls before, beside and after the requests that attack. Where each ends a process, there is but one of them: in a host of its
 * own it ends another, and the third one would suspend the module.
 */
function roundsOf({ effect, endsHosts = false }: Rejection): (readonly AttackRequest[])[] {
  const looks = looksAfter(effect === 'spends-the-helpers');
  const alone = endsHosts ? [] : [[HIDE], ...looks];
  const beside = [...lookingAll(3, { do: 'wait', keys: true }), HIDE, ...lookingAll(3, { keys: true })];
  return [[looking({ keys: true })], ...alone, beside, ...looksAfter(false)];
}

export const rejection = (options: Rejection): Attack => ({
  title: options.title,
  source: sourceOf(options),
  isolations: ALL_WALLS,
  policy: { version: 1, limits: LOOPING },
  rounds: roundsOf(options),
  secret: SECRET,
  endsHosts: true,
  expect: HIDDEN,
});
