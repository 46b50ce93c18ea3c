import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { run, answer } = useLab();
const handled = (code: string) => run(`module.exports.get = (req, res) => { ${code} }`);

describe('headers of an answer', () => {
  it('are sent as they were set, the last value counting', async () => {
    const { headers } = await handled(
      'res.setHeader("X-A", 1); res.set("x-b", "2"); res.set({ "x-c": "3", "x-a": "4" }); res.header("x-d", ["5", 6]); res.end()',
    );
    expect(headers).toEqual([
      ['x-a', '4'],
      ['x-b', '2'],
      ['x-c', '3'],
      ['x-d', '5'],
      ['x-d', '6'],
    ]);
  });

  it('can be read and removed, whatever the case', async () => {
    expect(
      await answer(`module.exports.get = (req, res) => {
        res.setHeader('X-One', 'a'); res.setHeader('x-many', ['b', 'c']); res.setHeader('x-gone', 'd'); res.removeHeader('X-GONE');
        res.json([res.getHeader('x-one'), res.get('X-MANY'), res.hasHeader('x-gone'), res.getHeader('x-gone') === undefined, res.getHeaders()]);
      }`),
    ).toEqual(['a', ['b', 'c'], false, true, { 'x-one': 'a', 'x-many': ['b', 'c'] }]);
  });

  it('are none to begin with', async () => {
    expect(
      await answer(
        'module.exports.get = (req, res) => res.json([res.hasHeader("a"), res.getHeader("a") === undefined, res.getHeaders()])',
      ),
    ).toEqual([false, true, {}]);
  });

  it('give a type that is set priority over that of json()', async () => {
    const { headers } = await handled('res.setHeader("content-TYPE", "application/ld+json"); res.json({})');
    expect(headers).toEqual([['content-TYPE', 'application/ld+json']]);
  });

  it.each([
    'res.setHeader("", "x")',
    'res.setHeader("a b", "x")',
    'res.setHeader("a:", "x")',
    'res.setHeader("a\\r\\nb", "x")',
    'res.setHeader("ü", "x")',
    'res.setHeader("x".repeat(257), "x")',
    'res.setHeader("a", "x\\r\\ny: z")',
    'res.setHeader("a", "x\\ny")',
    'res.setHeader("a", "x\\0")',
    'res.setHeader("a", "\\u010d\\u010a")',
    'res.setHeader("a", "x\\x7f")',
    'res.setHeader("a", undefined)',
    'res.setHeader("a")',
    'res.setHeader("a", ["x", "y\\n"])',
    'res.setHeader({ toString() { return "a\\n"; } }, "x")',
    'res.redirect("/x\\r\\nset-cookie: a=b".replace("%", ""), "/x"); res.setHeader("a", "\\n")',
    'res.type("text/html\\r\\nx: y")',
  ])('refuse %s', async (code) => {
    expect((await handled(`${code}; res.end()`)).head['message']).toMatch(/header|status/);
  });

  it('encode line ends of a redirect', async () => {
    expect((await handled('res.redirect("/a\\r\\nset-cookie: b")')).headers).toEqual([
      ['Location', '/a%0D%0Aset-cookie:%20b'],
    ]);
  });

  it('take a value once, however often it would change', async () => {
    const sly = '{ n: 0, toString() { this.n += 1; return this.n === 1 ? "good" : "bad\\r\\nx: y"; } }';
    expect((await handled(`res.setHeader("x-a", ${sly}); res.end()`)).headers).toEqual([['x-a', 'good']]);
    expect((await handled(`res.setHeader("x-a", [${sly}]); res.end()`)).headers).toEqual([['x-a', 'good']]);
  });

  it('are at most 50, of 16 KB together', async () => {
    const many = (count: number) =>
      handled(`for (let i = 0; i < ${count}; i++) res.setHeader("x-" + i, "v"); res.end()`);
    expect((await many(50)).headers).toHaveLength(50);
    expect((await many(51)).head['message']).toContain('at most 50 headers');
    expect((await handled('res.setHeader("a", Array(51).fill("x")); res.end()')).head['message']).toContain(
      '50',
    );
    expect(
      (await handled('const a = []; a.length = 2 ** 32 - 1; res.setHeader("a", a); res.end()')).head[
        'message'
      ],
    ).toContain('50');
    const lying =
      'new Proxy(["x"], { get: (list, key) => (key === "length" ? { valueOf: () => (turn += 1) } : list[0]) })';
    expect((await handled(`let turn = 0; res.setHeader("a", ${lying}); res.end()`)).headers).toEqual([
      ['a', 'x'],
    ]);
    expect(
      (await handled(`let turn = 0.5; res.setHeader("a", ${lying}); res.end()`)).head['message'],
    ).toContain('50');
    expect((await handled('res.setHeader("a", "x".repeat(16_384)); res.end()')).head['message']).toContain(
      '16384',
    );
    expect(
      (await handled('for (let i = 0; i < 200; i++) res.setHeader("a", "x".repeat(16_000)); res.end()')).kind,
    ).toBe('end');
  });

  it('know no name of the language', async () => {
    const { headers } = await handled(
      'res.setHeader("__proto__", "1"); res.setHeader("constructor", "2"); res.end()',
    );
    expect(headers).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });
});
