import { describe, expect, it } from 'vitest';
import { MODES, useLab } from '../lab/use-lab.ts';

const { run, value } = useLab();

describe.each(MODES)('the bridge to the host (%s)', (isolation) => {
  it('shows in no caller, no arguments and no frame', async () => {
    const source = `
      const found = [];
      const look = (f) => { try { found.push(f === null || f === undefined ? 'none' : 'FUNCTION ' + f.name); } catch { found.push('none'); } };
      const caught = (make) => { try { return make(); } catch { return null; } };
      function sloppy() { look(caught(() => sloppy.caller)); look(caught(() => arguments.callee.caller)); look(caught(() => sloppy.arguments.callee.caller)); return 'x'; }
      try { Error.prepareStackTrace = (error, sites) => sites; } catch {}
      exports.get = function (req, res) {
        look(caught(() => arguments.callee.caller));
        look(caught(() => exports.get.caller));
        const sites = new Error('x').stack;
        if (Array.isArray(sites)) for (const site of sites) { if (site.getFunction() !== exports.get) look(site.getFunction()); look(caught(() => site.getThis() === globalThis ? null : site.getThis())); }
        res.setHeader({ toString: sloppy }, 'a');
        [1].map(sloppy);
        JSON.stringify({ toJSON: sloppy });
        Promise.resolve().then(() => res.json(found.filter((entry) => entry !== 'none' && entry !== 'FUNCTION ' && entry !== 'FUNCTION get' && !entry.startsWith('FUNCTION exports'))));
      };`;
    expect(JSON.parse((await run(source, { isolation })).body)).toEqual([]);
  });

  it('tells nothing of this machine in any stack', async () => {
    const stacks = await value(
      `[() => null.x, () => new URL('x'), () => res.setHeader('a b', 1), () => setTimeout(1), () => require('x'), () => crypto.getRandomValues(1), () => Model(1), () => structuredClone(Symbol())]
        .map((make) => { try { make(); } catch (error) { return String(error.stack); } })`,
      { isolation },
    );
    expect(
      (stacks as string[]).filter((stack) => /file:|node:|isolate\.js|(?<!@dadi)\/|\\/.test(stack)),
    ).toEqual([]);
  });
});
