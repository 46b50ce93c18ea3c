import { describe, expect, it } from 'vitest';
import { MODES, useLab } from '../lab/use-lab.ts';

const { run, value } = useLab();

describe('objects of ours that authors get', () => {
  it.each(['res', 'Model("a")', 'await fetch("http://a")', '(await fetch("http://a")).headers'])(
    'have no constructor: %s',
    async (code) => {
      const serve = () => ({ ok: true, value: { status: 200, headers: [], body: '', encoding: 'text' } });
      expect(
        await value(
          `(async () => { const o = ${code}; const p = Object.getPrototypeOf(o); return ['constructor' in o, Object.getPrototypeOf(p), Reflect.ownKeys(o)]; })()`,
          { serve },
        ),
      ).toEqual([false, null, []]);
    },
  );

  it.each(MODES)('are filled past any setter of the author (%s)', async (isolation) => {
    const source = `
      const seen = [];
      for (const key of ['0', '1', 'x-a', 'message', 'code']) {
        try { Object.defineProperty(Array.prototype, key, { set(v) { seen.push(v); }, configurable: true }); } catch {}
        try { Object.defineProperty(Object.prototype, key, { set(v) { seen.push(v); }, configurable: true }); } catch {}
      }
      exports.get = (req, res) => {
        res.setHeader('x-a', ['b', 'c']);
        const list = res.getHeader('x-a');
        const params = new URLSearchParams('a=1&b=2').getAll('a');
        res.end(list.length + ' ' + list[1] + ' ' + params[0] + ' ' + seen.length);
      };`;
    expect((await run(source, { isolation })).body).toBe('2 c 1 0');
  });
});
