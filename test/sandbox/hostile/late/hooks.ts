// Hooks that go on when their document is written, in the same isolate as those of other clients.
import { ALL_WALLS, type Attack, type AttackRequest } from '../attack.ts';
import { LOOPING, SECRET } from './look.ts';

const KEYS = 1000;

/** What a hook does for a document that hides nothing: it writes what it has left. */
const LOOK = `
const count = (limit, run) => { let n = 0; try { for (; n < limit; n += 1) run(n); } catch {} return n; };
const look = (obj) => {
  console.log('look ' + obj.title);
  return { title: obj.title, other: { keys: count(${2 * KEYS}, (n) => Symbol.for('look ' + n)), url: new URL('http://a/b').pathname } };
};
`;

let looks = 0;

const documents = (titles: readonly string[], client?: string): AttackRequest => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    ...(client !== undefined && { authorization: `Bearer {{${client}}}` }),
  },
  body: JSON.stringify(titles.length === 1 ? { title: titles[0] } : titles.map((title) => ({ title }))),
});

/** Writes so many documents; each of their hooks has answered what it answers when nobody attacks. */
function writes(count: number, client?: string): AttackRequest {
  const titles = Array.from({ length: count }, () => {
    looks += 1;
    return `write ${looks}`;
  });
  const each = titles.map(
    (title) => `(?=.*"title":"${title}")(?=(.*"other":\\{"keys":${KEYS},"url":"/b"\\}){${count}})`,
  );
  return {
    ...documents(titles, client),
    expect: { status: 200, body: new RegExp(`^${each.join('')}`, 's') },
    log: titles.map((title) => `look ${title}`),
  };
}

const HIDE: AttackRequest = {
  ...documents([`hide ${SECRET}`]),
  expect: { codes: ['API-0002', 'ENDPOINT_CRASHED', 'HOOK_FAILED'], orBytes: 2000 },
};

/** One after the other, by two clients, and at once. */
const looksAfter = (): (readonly AttackRequest[])[] => [
  [writes(1, 'writer')],
  [writes(1)],
  [writes(3, 'writer')],
  [writes(1), writes(1, 'writer'), writes(4), writes(4, 'writer')],
];

/** `hide`: what the hook does, and returns, for the one document that hides something. */
export const hookAttack = (title: string, hide: string, isSynchronous = false): Attack => ({
  title,
  source: `
${LOOK}
${hide}
module.exports = (obj) => (obj.title.startsWith('hide') ? hide(obj.title.slice(5), obj) : look(obj));
`,
  hook: 'beforeCreate',
  ...(!isSynchronous && { isolations: ALL_WALLS }),
  policy: { version: 1, limits: LOOPING },
  rounds: [
    [writes(1)],
    [HIDE],
    ...looksAfter(),
    [writes(1, 'writer'), writes(2), HIDE, writes(1), writes(2, 'writer')],
    ...looksAfter(),
  ],
  secret: SECRET,
  endsHosts: true,
  expect: { status: 200 },
});
