// What it returns becomes a document, once it has settled; a hook that can have no promises returns what it returns.
import { type Attack, BOMB } from '../../attack.ts';

const RETURNED = '{ then(ok) { ok({ get title() { for (;;); } }); } }';

export const attack: Attack = {
  title: 'a hook that returns thenables and getters',
  source: `
module.exports = async function (obj) { return ${RETURNED}; };
`,
  hook: 'beforeCreate',
  policy: BOMB,
  expect: { codes: ['API-0002'] },
};

export const attacks: Readonly<Record<string, Attack>> = {
  'of-a-synchronous-hook': {
    title: 'a synchronous hook that returns thenables and getters',
    source: `
module.exports = function (obj) { return ${RETURNED}; };
`,
    hook: 'beforeCreate',
    // Its `then` is a function like any other: no JSON has it, and nobody calls it.
    expect: { status: 200, body: /^(?!.*"(title|then)")/s },
  },
};
