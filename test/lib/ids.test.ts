import { describe, expect, it } from 'vitest';
import { createIdSource, isId } from '../../src/lib/ids.ts';

describe('isId', () => {
  it.each(['0123456789abcdef01234567', 'ABCDEFABCDEFABCDEFABCDEF'])('takes %s', (text) => {
    expect(isId(text)).toBe(true);
  });

  it.each([
    '',
    'xyz',
    '0123456789abcdef0123456',
    '0123456789abcdef012345678',
    '0123456789abcdef0123456g',
    7,
    null,
    {},
  ])('refuses %j', (value) => expect(isId(value)).toBe(false));

  it('refuses an id with a line break behind it', () => {
    expect(isId('0123456789abcdef01234567\n')).toBe(false);
  });
});

describe('createIdSource', () => {
  it('makes ids that carry the second', () => {
    const id = createIdSource(() => 0x5f_00_00_00 * 1000 + 999)();
    expect(isId(id)).toBe(true);
    expect(id.slice(0, 8)).toBe('5f000000');
  });

  it('makes ids that grow while the clock stands, steps back and goes on', () => {
    let now = 1_700_000_000_000;
    const generateId = createIdSource(() => now);
    const ids = [generateId(), generateId()];
    now -= 60_000;
    ids.push(generateId(), generateId());
    now += 120_000;
    ids.push(generateId());
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('borrows from the next second when the counter of one is used up', () => {
    const generateId = createIdSource(() => 1_700_000_000_000);
    let last = generateId();
    const first = last;
    for (let n = 1; n < 2 ** 24; n += 1) last = generateId();
    const next = generateId();
    expect(last.slice(0, 8)).toBe(first.slice(0, 8));
    expect(next > last).toBe(true);
    expect(Number.parseInt(next.slice(0, 8), 16)).toBe(1_700_000_001);
  });

  it('makes different ids in two processes in the same second', () => {
    const now = () => 1_700_000_000_000;
    expect(createIdSource(now)()).not.toBe(createIdSource(now)());
  });
});
