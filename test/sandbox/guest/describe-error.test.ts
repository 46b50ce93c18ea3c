import { describe, expect, it } from 'vitest';
import { MODES, useLab } from '../lab/use-lab.ts';

const { run } = useLab();

describe('what is told of a thrown value', () => {
  it.each([
    ['new Error("plain")', 'plain'],
    ['new TypeError("")', 'TypeError'],
    ['"text"', 'text'],
    ['5', '5'],
    ['undefined', 'undefined'],
    ['null', 'null'],
    ['Symbol("x")', 'Symbol()'],
    ['{ message: "object" }', 'object'],
    ['{}', '[object Object]'],
    ['Object.create(null)', 'A value without a message was thrown'],
    ['{ message: { toString() { throw 1; } } }', '[object Object]'],
    ['{ get message() { throw 1; } }', 'The thrown value cannot be read'],
    [
      '{ message: { toString: () => ({}) }, toString() { throw 1; } }',
      'A value without a message was thrown',
    ],
    [
      'new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 1; } })',
      'The thrown value cannot be read',
    ],
    ['Object.assign(() => 1, { message: "function" })', 'function'],
    ['new Error("x".repeat(10_000_000))', 'x'.repeat(300)],
  ])('%s', async (code, message) => {
    expect((await run(`exports.get = () => { throw ${code}; }`)).head['message']).toBe(message);
  });

  it('has the lines of the author, from 1, and no other', async () => {
    const source = [
      'function deep() {',
      '  throw new Error("here");',
      '}',
      'exports.get = async () => {',
      '  await null;',
      '  [1].map(deep);',
      '};',
    ];
    const { head } = await run(source.join('\n'), { name: 'endpoint.report.js' });
    expect(String(head['stack']).split('\n')).toEqual([
      'at deep (endpoint.report.js:2:9)',
      expect.stringMatching(/^at .*endpoint\.report\.js:6:7\)$/),
    ]);
  });

  it.each(MODES)('survives a stack that lies (%s)', async (isolation) => {
    for (const stack of [
      '"at /etc/secret.js:1:1\\nat x (endpoint.test.js:1:1)\\nno frame endpoint.test.js:2:2"',
      '5',
      'new Proxy([], {})',
    ]) {
      const { head } = await run(
        `exports.get = () => { const e = new Error('m'); e.stack = ${stack}; throw e; }`,
        { isolation },
      );
      expect(head['message']).toBe('m');
      expect(String(head['stack'] ?? '')).not.toMatch(/secret|no frame/);
    }
    const { head } = await run(
      `try { Error.prepareStackTrace = () => { throw 1; }; } catch {} exports.get = () => { throw new Error('m'); }`,
      { isolation },
    );
    expect(head['message']).toBe('m');
  });

  it('ends with the turn where reading it does not', async () => {
    for (const code of ['{ get message() { for (;;); } }', '{ message: "m", get stack() { for (;;); } }']) {
      expect((await run(`exports.get = () => { throw ${code}; }`, { ms: 100 })).kind).toBe('timeout');
    }
  });

  it('is short even where the stack is long', async () => {
    const { head } = await run('function f() { f(); } exports.get = () => f();');
    expect(head['message']).toBe('Maximum call stack size exceeded');
    expect(String(head['stack']).split('\n').length).toBeLessThanOrEqual(10);
  });
});
