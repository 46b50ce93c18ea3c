import { describe, expect, it } from 'vitest';
import { createPrettyPrinter } from '../../src/lib/pretty-log.ts';

const print = createPrettyPrinter({ colors: false });
const AT = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
const printed = (record: object) => print(`${JSON.stringify({ level: 30, time: AT, pid: 7, ...record })}\n`);

describe('a record for people', () => {
  it('has time, level, message and fields on one line', () => {
    const record = {
      level: 40,
      msg: 'slow',
      ms: 12,
      path: '/1.0/books',
      by: 'a b',
      at: { x: [1, 'y'] },
      none: null,
    };
    expect(printed(record)).toBe(
      '03:04:05.006 WARN  slow ms=12 path=/1.0/books by="a b" at={"x":[1,"y"]} none=null\n',
    );
  });

  it('takes no text for more than one value', () => {
    expect(printed({ a: 'x b=1', b: '"', c: '', d: '{}' })).toBe(
      '03:04:05.006 INFO  a="x b=1" b="\\"" c="" d="{}"\n',
    );
  });

  it('has a level even where that is none of ours', () => {
    expect(printed({ level: 35, msg: 'm' })).toContain(' 35    m\n');
  });

  it('shows the stack of an error below it, indented', () => {
    const stack = 'Error: broken\n    at f (a.ts:1:2)\ncaused by: Error: deeper';
    expect(printed({ level: 50, msg: 'failed', err: { type: 'Error', message: 'broken', stack } })).toBe(
      '03:04:05.006 ERROR failed\n    Error: broken\n        at f (a.ts:1:2)\n    caused by: Error: deeper\n',
    );
    expect(printed({ err: 'a text' })).toBe('03:04:05.006 INFO \n    a text\n');
  });

  it('lets nobody write lines of their own, in whatever a record holds', () => {
    const hostile = 'x\n03:04:05.006 FATAL forged\u001b[2J\r\u0000\u007f\u009b\u202e\u2028';
    const text = printed({ msg: hostile, [hostile]: hostile, deep: { [hostile]: [hostile] } });
    expect(text.slice(0, -1)).not.toMatch(/\p{Cc}|\p{Bidi_Control}|\u2028/u);
    expect(text).toContain('x␊03:04:05.006 FATAL forged␛[2J␍␀');
    const lines = printed({ err: { stack: hostile } })
      .trimEnd()
      .split('\n');
    expect(lines.slice(1)).toEqual(['    x', expect.stringMatching(/^ {4}03:04:05.006 FATAL forged␛\[2J/)]);
  });

  it('shows a backslash as one, not as the escape that it looks like', () => {
    expect(printed({ msg: String.raw`a\u001b\n` })).toContain(String.raw` a\u001b\n`);
  });
});
