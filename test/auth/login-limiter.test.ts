// The limit on failed attempts: who is counted together, what counts, and for how long.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addressGroup, createLoginLimiter } from '../../src/auth/login.ts';
import { AppError, StoreError } from '../../src/errors/errors.ts';

const LIMITS = { perClient: 3, perAddress: 5, windowSeconds: 60 };
const fails = async () => undefined;
const succeeds = async () => 'token';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

async function outcome(attempt: Promise<unknown>): Promise<unknown> {
  try {
    return await attempt;
  } catch (error) {
    return error instanceof AppError ? `${error.status} after ${error.headers['Retry-After']}` : error;
  }
}

describe('the login limiter', () => {
  it('refuses a client id after its failures, even with the right secret', async () => {
    const { run } = createLoginLimiter(LIMITS);
    const who = { address: '192.0.2.1', clientId: 'a' };
    for (let i = 0; i < 3; i += 1) expect(await outcome(run(who, fails))).toBeUndefined();
    const late = vi.fn(succeeds);
    expect(await outcome(run(who, late))).toBe('429 after 60');
    expect(late).not.toHaveBeenCalled();
  });

  it('asks a store that is away once for all who wait, and anew for whoever comes later', async () => {
    const { run } = createLoginLimiter(LIMITS);
    const who = { address: '192.0.2.1', clientId: 'a' };
    const held = Promise.withResolvers<string>();
    const asked = vi.fn(() => held.promise);
    const all = Array.from({ length: 50 }, () => outcome(run(who, asked)));
    const away = new StoreError('timeout');
    held.reject(away);
    expect(new Set(await Promise.all(all))).toEqual(new Set([away]));
    expect(asked).toHaveBeenCalledTimes(1);
    expect(await run(who, succeeds)).toBe('token');
  });

  it('lets no failure of another kind pass from one attempt to the next', async () => {
    const { run } = createLoginLimiter(LIMITS);
    const who = { address: '192.0.2.1', clientId: 'a' };
    const broken = outcome(run(who, () => Promise.reject(new Error('broken'))));
    expect(await run(who, succeeds)).toBe('token');
    expect(await broken).toMatchObject({ message: 'broken' });
  });

  it('counts each client id, and each address, for itself', async () => {
    const { run } = createLoginLimiter(LIMITS);
    for (let i = 0; i < 3; i += 1) await run({ address: '192.0.2.1', clientId: 'a' }, fails);
    expect(await run({ address: '192.0.2.1', clientId: 'b' }, succeeds)).toBe('token');
    expect(await run({ address: '192.0.2.2', clientId: 'a' }, succeeds)).toBe('token');
  });

  it('refuses an address after failures with many client ids', async () => {
    const { run } = createLoginLimiter(LIMITS);
    for (let i = 0; i < 5; i += 1) await run({ address: '192.0.2.1', clientId: `c${i}` }, fails);
    expect(await outcome(run({ address: '192.0.2.1', clientId: 'new' }, succeeds))).toBe('429 after 60');
  });

  it('takes a /64 for one address', async () => {
    const { run } = createLoginLimiter(LIMITS);
    for (let i = 0; i < 3; i += 1) await run({ address: `2001:db8::${i}`, clientId: 'a' }, fails);
    expect(await outcome(run({ address: '2001:db8::ff', clientId: 'a' }, succeeds))).toBe('429 after 60');
    expect(await run({ address: '2001:db8:0:1::1', clientId: 'a' }, succeeds)).toBe('token');
  });

  it('says how long to wait, and forgets when the window has passed', async () => {
    const { run } = createLoginLimiter(LIMITS);
    const who = { address: '192.0.2.1', clientId: 'a' };
    for (let i = 0; i < 3; i += 1) await run(who, fails);
    vi.advanceTimersByTime(59_500);
    expect(await outcome(run(who, succeeds))).toBe('429 after 1');
    vi.advanceTimersByTime(500);
    expect(await run(who, succeeds)).toBe('token');
  });

  it('never counts successes, also when many come at once just below the limit', async () => {
    const { run } = createLoginLimiter(LIMITS);
    const who = { address: '192.0.2.1', clientId: 'a' };
    for (let i = 0; i < 2; i += 1) await run(who, fails);
    const all = await Promise.all(Array.from({ length: 100 }, () => run(who, succeeds)));
    expect(all).toEqual(Array(100).fill('token'));
  });

  it('runs no more failing attempts than allowed, however many come at once', async () => {
    const { run } = createLoginLimiter(LIMITS);
    const attempt = vi.fn(fails);
    const who = { address: '192.0.2.1', clientId: 'a' };
    await Promise.all(Array.from({ length: 50 }, () => outcome(run(who, attempt))));
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  it('counts nothing when the attempt could not be judged, and goes on', async () => {
    const { run } = createLoginLimiter(LIMITS);
    const who = { address: '192.0.2.1', clientId: 'a' };
    const breaks = () => Promise.reject(new Error('away'));
    for (let i = 0; i < 10; i += 1) expect(await outcome(run(who, breaks))).toEqual(new Error('away'));
    expect(await run(who, succeeds)).toBe('token');
  });

  it('refuses more than 1,000 waiting logins of one address, and none of other addresses', async () => {
    const { run } = createLoginLimiter(LIMITS);
    let release = (): void => undefined;
    const held = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const who = { address: '192.0.2.1', clientId: 'a' };
    const crowd = Array.from({ length: 1001 }, () => outcome(run(who, () => held.then(succeeds))));
    expect(await crowd[1000]).toBe('429 after 1');
    expect(await run({ address: '192.0.2.2', clientId: 'a' }, succeeds)).toBe('token');
    release();
    expect(await Promise.all(crowd.slice(0, 1000))).toEqual(Array(1000).fill('token'));
  });
});

describe('the login limiter under a flood of addresses', () => {
  it('makes it forget the oldest failures, not grow', async () => {
    vi.useRealTimers();
    const { run } = createLoginLimiter(LIMITS);
    const first = { address: 'first', clientId: 'a' };
    for (let i = 0; i < 3; i += 1) await run(first, fails);
    expect(await outcome(run(first, succeeds))).toMatch(/^429/);
    for (let i = 0; i < 100_000; i += 1) await run({ address: `n${i}`, clientId: 'a' }, fails);
    expect(await run(first, succeeds)).toBe('token');
  });
});

describe('addressGroup', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['nowhere', 'nowhere'],
    ['', ''],
  ])('maps %j to %j', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
