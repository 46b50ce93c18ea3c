// Lookups at a service: what is asked once, what is asked again, and what nobody is told.
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createRemoteLookup } from '../../../src/delivery/lookups/remote-lookup.ts';
import { createMemoryCache } from '../../../src/stores/memory-cache.ts';
import type { CacheStore } from '../../../src/stores/ports.ts';
import { answerJson, lookupService } from '../../helpers/app/delivery.ts';

const IP = '81.2.69.160';
const HOUR = 3_600_000;
const GB = answerJson({ code: 'GB' });

interface Options {
  readonly cache?: CacheStore;
  readonly timeout?: number;
}

async function opened(answer: (response: ServerResponse) => void, { cache, timeout = 10 }: Options = {}) {
  const service = await lookupService(answer);
  const lines: string[] = [];
  let time = 0;
  const now = () => time;
  const make = () =>
    createRemoteLookup({
      subject: 'country',
      settings: {
        url: `${service.origin}/{ip}?key={key}&secret={secret}`,
        key: 'the-key',
        secret: 'the-secret',
        path: 'code',
        timeout,
        failureTtl: 3,
      },
      cache: cache ?? createMemoryCache({ maxBytes: 1_000_000, now }),
      log: { warn: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`) },
      now,
    });
  return {
    ...service,
    lines,
    lookUp: make(),
    make,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('a remote lookup', () => {
  it('asks about an address once an hour, in whatever spelling', async () => {
    const { lookUp, asked, pass } = await opened(GB);
    expect([await lookUp(IP), await lookUp(`::ffff:${IP}`), await lookUp(IP)]).toEqual(['GB', 'GB', 'GB']);
    expect(asked).toHaveLength(1);
    pass(HOUR);
    await lookUp(IP);
    expect(asked).toHaveLength(2);
  });

  it('asks once for visitors who come at the same time', async () => {
    const { lookUp, asked } = await opened(GB);
    const answers = await Promise.all(Array.from({ length: 50 }, () => lookUp(IP)));
    expect([new Set(answers), asked.length]).toEqual([new Set(['GB']), 1]);
  });

  it('keeps what it found in the cache of the server, without the address in the key', async () => {
    const keys: string[] = [];
    const kept = createMemoryCache({ maxBytes: 1_000_000, now: () => 0 });
    const cache: CacheStore = {
      ...kept,
      set: (key, value, ttl) => {
        keys.push(key);
        return kept.set(key, value, ttl);
      },
    };
    const { make, asked } = await opened(GB, { cache });
    expect([await make()(IP), await make()(IP)]).toEqual(['GB', 'GB']);
    expect(asked).toHaveLength(1);
    expect(keys).toEqual([expect.stringMatching(/^lookup:country:[0-9a-f]{64}$/)]);
  });

  it('does without a cache that is away or damaged', async () => {
    const away = () => Promise.reject(new Error('away'));
    const { lookUp } = await opened(GB, {
      cache: { get: away, set: away, clear: away, close: away, isReachable: () => false },
    });
    expect(await lookUp(IP)).toBe('GB');
  });

  it('ends in time when the cache hangs', async () => {
    const hangs = () => new Promise<never>(() => {});
    const cache = { get: hangs, set: hangs, clear: hangs, close: hangs, isReachable: () => true };
    const { lookUp } = await opened(GB, { cache, timeout: 0.05 });
    expect(await lookUp(IP)).toBeUndefined();
  });

  it('asks again about a failure after `failureTtl` seconds, not before', async () => {
    let status = 500;
    const { lookUp, asked, pass } = await opened(
      (response) => void response.writeHead(status).end('{"code":"GB"}'),
    );
    expect(await lookUp(IP)).toBeUndefined();
    status = 200;
    pass(2999);
    expect([await lookUp(IP), asked.length]).toEqual([undefined, 1]);
    pass(1);
    expect([await lookUp(IP), asked.length]).toEqual(['GB', 2]);
  });

  it('gives up after its time limit', async () => {
    const { lookUp, lines } = await opened(() => undefined, { timeout: 0.05 });
    expect(await lookUp(IP)).toBeUndefined();
    expect(lines.join()).toContain('it took too long');
  });

  it('logs one line a minute, with the number of those left out, and never a key', async () => {
    const { lookUp, lines, pass } = await opened((response) => void response.writeHead(500).end());
    for (const last of [1, 2, 3, 4]) await lookUp(`81.2.69.${last}`);
    pass(60_000);
    await lookUp('81.2.69.5');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('"suppressed":3');
    expect(lines.join()).not.toMatch(/the-key|the-secret|127\.0\.0\.1/);
  });

  it.each([
    '10.0.0.1',
    '127.0.0.1',
    '::1',
    'fe80::1',
    '::ffff:192.168.0.1',
    '',
    'undefined',
    `${IP}, 10.0.0.1`,
  ])('tells nobody of %j', async (ip) => {
    const { lookUp, asked } = await opened(GB);
    expect([await lookUp(ip), asked]).toEqual([undefined, []]);
  });

  it('asks about 64 addresses at the same time; more count as unknown, and are asked about later', async () => {
    const waiting: ServerResponse[] = [];
    const { lookUp, asked } = await opened((response) => void waiting.push(response));
    const many = Array.from({ length: 64 }, (_, last) => lookUp(`81.2.69.${last}`));
    expect(await lookUp('81.2.70.1')).toBeUndefined();
    await expect.poll(() => waiting.length).toBe(64);
    for (const response of waiting.splice(0)) GB(response);
    expect(new Set(await Promise.all(many))).toEqual(new Set(['GB']));
    const later = lookUp('81.2.70.1');
    await expect.poll(() => waiting.length).toBe(1);
    for (const response of waiting) GB(response);
    expect([await later, asked.length]).toEqual(['GB', 65]);
  });
});
