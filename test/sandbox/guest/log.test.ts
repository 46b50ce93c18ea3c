import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { run } = useLab();
const logged = async (code: string, options = {}) =>
  (await run(`module.exports.get = (req, res) => { ${code}; res.end(); }`, options)).logs;
const messageOf = async (args: string) => (await logged(`console.log(${args})`))[0]?.['message'];

describe('console', () => {
  it('has levels', async () => {
    const levels = ['log', 'info', 'warn', 'error', 'debug', 'trace'];
    const records = await logged(levels.map((level) => `console.${level}('${level}')`).join(';'));
    expect(records).toEqual([
      { level: 'info', message: 'log' },
      { level: 'info', message: 'info' },
      { level: 'warn', message: 'warn' },
      { level: 'error', message: 'error' },
      { level: 'debug', message: 'debug' },
      { level: 'debug', message: 'trace' },
    ]);
  });

  it.each([
    ['"a", 1, true, null, undefined', 'a 1 true null undefined'],
    ['{ a: [1] }, [2]', '{"a":[1]} [2]'],
    ['"%s is %d, %i, %f and %j%%", "x", "4.5", "4.5", "4.5", { a: 1 }', 'x is 4.5, 4, 4.5 and {"a":1}%'],
    ['"100%", "%s"', '100% %s'],
    ['"%s"', '%s'],
    ['"%c%s", "color: red", "y"', 'y'],
    ['10n, Symbol("s"), () => 1', '10 Symbol() [Function]'],
    ['(() => { const a = {}; a.a = a; return a; })()', '[object]'],
    ['{ toJSON() { throw new Error("no"); } }', '[object]'],
    ['"%d", { valueOf() { throw new Error("no"); } }', 'NaN'],
    ['', ''],
  ])('shows %s', async (args, message) => {
    expect(await messageOf(args)).toBe(message);
  });

  it('gives errors with their stack', async () => {
    const [record] = await logged('console.error("failed:", new RangeError("why"))');
    expect(record).toMatchObject({ level: 'error', message: 'failed: why' });
    expect(record?.['stack']).toMatch(/^at .*endpoint\.test\.js:1:\d+\)?$/m);
  });

  it('works detached', async () => {
    expect(await logged('[1].forEach(console.warn)')).toEqual([{ level: 'warn', message: '1 0 [1]' }]);
  });

  it('cuts long messages', async () => {
    expect(String(await messageOf('"x".repeat(20_000)'))).toHaveLength(8_192);
    expect(String(await messageOf('...Array(20_000).fill("x")'))).toHaveLength(8_192);
  });
});

describe('the budget of a request', () => {
  it('has so many lines, the last of which says so', async () => {
    const records = await logged('for (let i = 0; i < 1_000; i += 1) console.log(i)', { logLines: 10 });
    expect(records.length).toBeLessThanOrEqual(10);
    expect(records.at(-1)).toEqual({
      level: 'warn',
      message: 'Further records of this request are dropped: its log is full',
    });
    expect(records[0]?.['message']).toBe('0');
  });

  it('has so many bytes', async () => {
    const records = await logged('for (let i = 0; i < 1_000; i += 1) console.log("ü".repeat(1_000))', {
      logBytes: 10_000,
    });
    const bytes = records.reduce((sum, record) => sum + Buffer.byteLength(String(record['message'])), 0);
    expect(bytes).toBeLessThanOrEqual(10_000);
    expect(records.at(-1)?.['message']).toContain('its log is full');
  });

  it('may be nothing', async () => {
    expect(await logged('console.log("x")', { logLines: 0, logBytes: 0 })).toEqual([]);
  });
});
