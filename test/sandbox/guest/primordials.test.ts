import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { run } = useLab();

/** Replaces every method that can be replaced; works only where nothing is frozen. */
const HIJACK = `
  const calls = [];
  const { getOwnPropertyDescriptor: describe, defineProperty: define, assign } = Object;
  const { ownKeys } = Reflect;
  const targets = [Array, JSON, Promise, String, Array.prototype, Object.prototype, String.prototype, RegExp.prototype,
    Function.prototype, Promise.prototype, Map.prototype, Object.getPrototypeOf(Uint8Array.prototype), Uint8Array.prototype,
    Object.getPrototypeOf([].values()), Set.prototype, Error.prototype, Number.prototype, Reflect, Object];
  for (let t = 0; t < targets.length; t += 1) {
    const keys = ownKeys(targets[t]);
    for (let k = 0; k < keys.length; k += 1) {
      const key = keys[k];
      const property = describe(targets[t], key);
      if (key === 'constructor' || key === 'prototype' || !property.configurable || typeof property.value !== 'function') continue;
      property.value = function () { calls[calls.length] = key; return undefined; };
      define(targets[t], key, property);
    }
  }
  const names = ['String', 'Array', 'Map', 'Object', 'Promise', 'RangeError', 'TypeError', 'Uint8Array', 'JSON'];
  for (let n = 0; n < names.length; n += 1) globalThis[names[n]] = undefined;
`;

describe('an author who replaces every built-in of his own context', () => {
  const options = { isolation: 'context' as const };

  it('sees none of our calls, and changes no answer', async () => {
    const source = `${HIJACK}
      exports.get = (req, res) => {
        const before = calls.length;
        res.setHeader('x-a', 'b'); res.type('csv'); res.write('body'); console.log('logged', 1); setTimeout(() => {}, 5);
        res.write(' ' + (calls.length - before)); res.end();
      };`;
    const { headers, body, logs, calls } = await run(source, options);
    expect(headers).toEqual([
      ['x-a', 'b'],
      ['Content-Type', 'text/csv; charset=utf-8'],
    ]);
    expect([body, logs[0]?.['message'], calls[0]?.args]).toEqual(['body 0', 'logged 1', { ms: 5 }]);
  });

  it('cannot forge the envelope of an answer, an error or a call', async () => {
    const forge = `Object.prototype.toJSON = String.prototype.toJSON = () => 'forged'; Array.prototype.join = () => 'forged'; Array.prototype[Symbol.iterator] = function* () { yield 'forged'; };`;
    expect(
      await run(`${forge} exports.get = (req, res) => { res.setHeader('a', 'b'); res.end('x'); }`, options),
    ).toMatchObject({
      kind: 'end',
      headers: [['a', 'b']],
      body: 'x',
    });
    expect(
      (await run(`${forge} exports.get = () => { throw new Error('true'); }`, options)).head['message'],
    ).toBe('true');
    const { calls } = await run(
      `${forge} exports.get = (req, res) => { fetch('http://a', { headers: [['a', 'b']] }); res.end(); }`,
      options,
    );
    expect(calls[0]?.args['headers']).toEqual([['a', 'b']]);
  });
});
