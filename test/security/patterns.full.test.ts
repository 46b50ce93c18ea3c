// Patterns over HTTP: whatever is sent, others are served meanwhile, and the next request is answered.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { longestBlockMs } from '../helpers/server-process/timing.ts';

// In milliseconds of this thread at work, so that what else the machine does counts little.
const MOST_MS = 250;
const QUERY_MS = 700;
const SLOW = '[ab]*a[ab]{100}[cd]$';

/** Without a period, so that the engine meets a new state at every character. */
function noise(length: number): string {
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed > 2 ** 31 ? 'a' : 'b';
  };
  return Array.from({ length }, next).join('');
}

describe('hostile patterns', () => {
  let app: TestApp;
  const path = '/1.0/lab/notes';
  const filtered = (filter: object) => `${path}?filter=${encodeURIComponent(JSON.stringify(filter))}`;

  beforeAll(async () => {
    const fields = { text: {}, strict: { validation: { regex: { pattern: SLOW } } } };
    app = await startApp({
      specs: { '1.0/lab/notes': { fields, settings: {} } },
      config: { limits: { queryMs: QUERY_MS } },
    });
    const body = [{ text: noise(2_000_000) }, { text: 'short' }];
    const write = () => app.inject('POST', path, { body });
    let answer = await write();
    while (answer.status === 503) answer = await write();
    expect(answer.status).toBe(200);
  });
  afterAll(() => app.close());

  it.each([
    ['one that is slow on one document', { text: { $regex: SLOW } }, [503]],
    ['its negation', { text: { $not: `/${SLOW}/` } }, [503]],
    ['one whose classes are large', { text: { $regex: '\\W'.repeat(400) } }, [200, 503]],
    ['more than a filter may have', { $or: Array(5).fill({ text: { $regex: 'x'.repeat(900) } }) }, [400]],
  ])('in a filter: %s', async (_name, filter, statuses) => {
    const held = await longestBlockMs(MOST_MS, async () => {
      const { status: answered } = await app.inject('GET', filtered(filter));
      expect(statuses).toContain(answered);
    });
    expect(held).toBeLessThan(MOST_MS);
    // The next request is answered. A machine that stalls for as long as a query may take makes it one more that came too late.
    const next = () => app.inject('GET', filtered({ text: { $regex: '^sho' } }));
    let answer = await next();
    while (answer.status === 503) answer = await next();
    expect(answer.body.results).toHaveLength(1);
  });

  it('in a specification', async () => {
    const body = { strict: noise(1_000_000) };
    const held = await longestBlockMs(MOST_MS, async () => {
      const answer = await app.inject('POST', path, { body });
      expect(answer.body.errors).toMatchObject([{ field: 'strict', code: 'ERROR_REGEX' }]);
    });
    expect(held).toBeLessThan(MOST_MS);
  });
});
