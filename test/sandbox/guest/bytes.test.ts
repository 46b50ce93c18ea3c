import { describe, expect, it } from 'vitest';
import { MODES, useLab } from '../lab/use-lab.ts';

const { run, value } = useLab();

describe('bytes of an author', () => {
  it.each(MODES)('are read by built-ins that he cannot replace (%s)', async (isolation) => {
    const source = `
      const array = new Uint8Array([1, 2, 3]);
      for (const name of ['buffer', 'byteLength', 'byteOffset', 'length']) {
        try { Object.defineProperty(array, name, { get() { throw new Error('read'); } }); } catch {}
      }
      try { Uint8Array.prototype.toBase64 = () => 'forged'; Object.getPrototypeOf(Uint8Array.prototype).set = () => {}; } catch {}
      module.exports.get = (req, res) => res.end(array);
    `;
    expect(await run(source, { isolation })).toMatchObject({ kind: 'end', body: 'AQID', encoding: 'base64' });
  });

  it('are none where an object only looks like it', async () => {
    const fake = '{ __proto__: Uint8Array.prototype, length: 1, 0: 5, toString() { return "fake"; } }';
    expect(await run(`module.exports.get = (req, res) => res.end(${fake})`)).toMatchObject({
      encoding: 'text',
      body: 'fake',
    });
    expect(
      await value(
        `(() => { try { new TextDecoder().decode(${fake}); } catch (error) { return error.name; } })()`,
      ),
    ).toBe('TypeError');
  });

  it('are of no buffer that can grow or go away', async () => {
    expect(
      await value(`(() => {
        const buffer = new ArrayBuffer(8);
        return ['resize', 'transfer', 'transferToFixedLength', 'transferToImmutable'].map((name) => typeof buffer[name]);
      })()`),
    ).toEqual(Array(4).fill('undefined'));
  });
});
