import { describe, expect, it } from 'vitest';
import { MODES, useLab } from '../lab/use-lab.ts';

const { lab, value, thrown } = useLab();

describe('Symbol.for', () => {
  it('gives one symbol for a key', async () => {
    expect(
      await value(
        '[Symbol.for("a") === Symbol.for("a"), Symbol.keyFor(Symbol.for("a")), typeof Symbol.iterator]',
      ),
    ).toEqual([...[true, 'a', 'symbol']]);
  });

  it.each(MODES)('has a budget of 1,000 short keys a request (%s)', async (isolation) => {
    const options = { isolation };
    expect(await thrown('Symbol.for("x".repeat(101))', options)).toContain('RangeError');
    expect(
      await thrown('(() => { for (let i = 0; i < 1_001; i++) Symbol.for("k" + i); })()', options),
    ).toContain('Too many keys');
    expect(
      await value('(() => { for (let i = 0; i < 1_000; i++) Symbol.for("k" + i); return 1; })()', options),
    ).toBe(1);
  });

  it('does not count the keys of modules of Node', async () => {
    const source = `(() => {
      const { inspect } = require('util'); require('buffer'); require('assert');
      for (let i = 0; i < 2_000; i++) Symbol.for('nodejs.util.inspect.custom');
      for (let i = 0; i < 1_000; i++) Symbol.for('k' + i);
      return [inspect.custom === Symbol.for('nodejs.util.inspect.custom'), Symbol.keyFor(inspect.custom)];
    })()`;
    expect(await value(source)).toEqual([true, 'nodejs.util.inspect.custom']);
  });

  it('counts a key whose text changes while it is read once', async () => {
    const sly =
      '{ n: 0, toString() { this.n += 1; return this.n === 1 ? "short" : "x".repeat(1_000_000); } }';
    expect(await value(`Symbol.keyFor(Symbol.for(${sly}))`)).toBe('short');
  });

  it('leaves the isolate usable through many requests that spend it all', async () => {
    const guest = await lab().guest(
      'module.exports.get = (req, res) => { for (let i = 0; i < 1_000; i++) Symbol.for("same key " + i); res.end("ok"); }',
    );
    const { events, disposed } = await guest.repeat(300, 300);
    expect([disposed, events.at(-1)?.[3]]).toEqual([false, 'ok']);
  });
});
