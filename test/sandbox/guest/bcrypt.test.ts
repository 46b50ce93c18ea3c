// What posted code gets where it requires one of the packages that hash passwords.
import { describe, expect, it } from 'vitest';
import type { Call } from '../lab/run.ts';
import { useLab } from '../lab/use-lab.ts';

const { answer, thrown, run } = useLab();

/** The answer of an async handler with this body. */
const answerOf = (body: string, options: Parameters<typeof answer>[1] = {}) =>
  answer(`exports.get = async (req, res) => { ${body} };`, options);
const serve = (call: Call) => ({ ok: true, value: { name: call.name, ...call.args } });
const matching = (matches: boolean) => () => ({ ok: true, value: matches });

const CALLS = [
  ['hash("secret", 12)', 'bcrypt.hash', { text: 'secret', salt: 12 }],
  ['hash("secret")', 'bcrypt.hash', { text: 'secret', salt: 10 }],
  ['hash(12345, "$2b$10$x")', 'bcrypt.hash', { text: 12345, salt: '$2b$10$x' }],
  ['compare("a\\u0000\\"", "hash")', 'bcrypt.compare', { text: 'a\0"', hash: 'hash' }],
  ['genSalt()', 'bcrypt.salt', { rounds: 10 }],
  ['genSalt(11)', 'bcrypt.salt', { rounds: 11 }],
] as const;

describe.each(['bcrypt', 'bcryptjs', 'bcrypt-as-promised'])('require(%j)', (name) => {
  it.each(name === 'bcrypt-as-promised' ? CALLS.filter(([text]) => !text.includes('compare')) : CALLS)(
    '%s is the guest call %s',
    async (text, call, args) => {
      expect(await answerOf(`res.json(await require('${name}').${text});`, { serve })).toEqual({
        name: call,
        ...args,
      });
    },
  );

  it('is the same object for a request', async () => {
    expect(await answerOf(`res.json(require('${name}') === require('${name}'));`)).toBe(true);
  });
});

describe('the package with promises alone', () => {
  const compare = `const { compare, MISMATCH_ERROR } = require('bcrypt-as-promised');
    try { res.json(await compare('a', 'hash')); } catch (error) { res.json([error instanceof MISMATCH_ERROR, error.name]); }`;

  it('rejects where a text does not match', async () => {
    expect(await answerOf(compare, { serve: matching(true) })).toBe(true);
    expect(await answerOf(compare, { serve: matching(false) })).toEqual([true, 'MismatchError']);
  });
});

describe('the other packages', () => {
  it('take a callback for the result and for the error', async () => {
    const body = `const done = (error, result) => res.json([error && error.code, result]);
      const bcrypt = require('bcrypt');`;
    const refuse = () => ({ ok: false, value: { code: 'NOT_GRANTED', message: 'no' } });
    expect(await answerOf(`${body} bcrypt.compare('a', 'hash', done);`, { serve: matching(false) })).toEqual([
      null,
      false,
    ]);
    expect(await answerOf(`${body} bcrypt.hash('a', 10, done);`, { serve: refuse })).toEqual([
      'NOT_GRANTED',
      null,
    ]);
    expect(await answerOf(`${body} bcrypt.genSalt(done);`, { serve })).toEqual([
      null,
      { name: 'bcrypt.salt', rounds: 10 },
    ]);
    const late = `${body} bcrypt.hash({}, 10, (error) => res.json(error.name));`;
    expect(await answerOf(late)).toBe('TypeError');
  });

  it.each([
    ['hash(undefined, 10)', 'bcrypt needs a text, not undefined'],
    ['hash(null, 10)', 'bcrypt needs a text, not null'],
    ['hash("a", {})', 'bcrypt needs a number of rounds or a salt, not object'],
    ['compare("a", undefined)', 'bcrypt needs a hash, not undefined'],
    ['compare({ toString: () => "a", toJSON: () => "b" }, "hash")', 'bcrypt needs a text, not object'],
    ['compare(new String("a"), "hash")', 'bcrypt needs a text, not object'],
    ['hash("a".repeat(2e6), 10)', 'The arguments of this call are too large'],
  ])('%s is refused without a call', async (text, message) => {
    expect(await thrown(`require('bcrypt').${text}`)).toMatch(message);
  });

  it('have nothing that answers at once', async () => {
    for (const text of ['hashSync("a", 10)', 'compareSync("a", "b")', 'genSaltSync()'])
      expect(await thrown(`require('bcrypt').${text}`)).toContain('bcrypt answers later here');
  });
});

it('none of them can be required without the grant, and the message names it', async () => {
  for (const name of ['bcrypt', 'bcryptjs', 'bcrypt-as-promised']) {
    const { kind, head } = await run(`require('${name}'); exports.get = () => {};`, { bcrypt: false });
    expect(kind).toBe('error');
    expect(head['message']).toBe(
      `Cannot find module '${name}': the policy of this module grants no \`bcrypt\``,
    );
  }
});

it('a module that hashes after its request is over is refused', async () => {
  const source = `exports.get = (req, res) => {
    const bcrypt = require('bcrypt');
    res.end('done');
    bcrypt.hash('a', 10).catch(() => undefined);
  };`;
  const { kind } = await run(source, { serve });
  expect(kind).toBe('end');
});
