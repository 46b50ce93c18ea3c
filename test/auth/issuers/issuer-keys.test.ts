// The published keys of an issuer: fetched when they are needed, seldom, within limits; and what happens when they change or the
// issuer is away.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createIssuerTokens } from '../../../src/auth/issuers/issuer-tokens.ts';
import { ACME, claimsAt, keySetOf, newKey, publishKeys, sign } from './identity-provider.ts';

const START = 1_700_000_000_000;
const DAY = 86_400_000;
const unavailable = { code: 'ISSUER_UNAVAILABLE', status: 503 };

function open(url: string) {
  const state = { at: START };
  const warnings: { readonly err: Error }[] = [];
  const log = {
    info: () => undefined,
    warn: (fields: object) => void warnings.push(fields as { err: Error }),
  };
  const issuers = [{ ...ACME, jwksUrl: url }];
  const tokens = createIssuerTokens({ issuers, log, now: () => state.at });
  onTestFinished(() => tokens.close());
  return { state, tokens, warnings };
}

/** Lasts for all of a test. */
const long = { exp: (START + DAY) / 1000 };
const key = newKey();
const token = () => sign(claimsAt(START, long), { key });
const unknown = () => sign(claimsAt(START, long), { key: newKey() });

describe('the published keys of an issuer', () => {
  it('are not fetched before a token needs them, and once for all that need them', async () => {
    const server = await publishKeys(keySetOf(key));
    const { tokens } = open(server.url);
    tokens.peek(await token());
    expect(server.asked()).toBe(0);
    const all = await Promise.all(Array.from({ length: 20 }, async () => tokens.verify(await token())));
    expect(all.map((user) => user?.clientId)).toEqual(all.map(() => 'acme:ann'));
    expect(server.asked()).toBe(1);
  });

  it('are fetched again for a key that is not among them, so that a new key is good at once', async () => {
    const server = await publishKeys(keySetOf(key));
    const { tokens, state } = open(server.url);
    await tokens.verify(await token());
    const next = newKey();
    server.answer(keySetOf(key, next));
    state.at += 30_000;
    const signed = await sign(claimsAt(START, long), { key: next });
    expect((await tokens.verify(signed))?.clientId).toBe('acme:ann');
    expect(server.asked()).toBe(2);
  });

  it('are fetched once in 30 seconds for keys that do not exist, while known ones keep working', async () => {
    const server = await publishKeys(keySetOf(key));
    const { tokens, state } = open(server.url);
    const good = await token();
    await tokens.verify(good);
    for (let second = 1; second <= 90; second += 1) {
      state.at = START + second * 1000;
      const flood = await Promise.all([unknown(), unknown()]);
      const [first, other, known] = await Promise.all([...flood, good].map((text) => tokens.verify(text)));
      expect([first, other, known?.clientId]).toEqual([undefined, undefined, 'acme:ann']);
      expect(server.asked()).toBe(1 + Math.floor(second / 30));
    }
  });

  it('that the issuer has withdrawn end within five minutes, for tokens that were verified before too', async () => {
    const server = await publishKeys(keySetOf(key));
    const { tokens, state } = open(server.url);
    const old = await token();
    await tokens.verify(old);
    server.answer(keySetOf(newKey()));
    state.at += 300_000;
    expect(tokens.peek(old)?.clientId).toBe('acme:ann');
    state.at += 1;
    // This use begins the fetch; it does not wait for it.
    tokens.peek(old);
    await expect.poll(() => tokens.peek(old)).toBeUndefined();
    await expect(tokens.verify(old)).resolves.toBeUndefined();
    expect(server.asked()).toBe(2);
  });

  it('that the issuer has withdrawn are dead after a pause: the first token waits for the new ones', async () => {
    const server = await publishKeys(keySetOf(key));
    const { tokens, state } = open(server.url);
    const old = await token();
    await tokens.verify(old);
    server.answer(keySetOf(newKey()));
    state.at += 600_001;
    expect(tokens.peek(old)).toBeUndefined();
    await expect(tokens.verify(old)).resolves.toBeUndefined();
    expect(server.asked()).toBe(2);
  });

  it('that are fetched again and are the same leave verified tokens alone', async () => {
    const server = await publishKeys(keySetOf(key));
    const { tokens, state } = open(server.url);
    const old = await token();
    await tokens.verify(old);
    state.at += 300_001;
    tokens.peek(old);
    await expect.poll(() => server.asked()).toBe(2);
    state.at += 300_000;
    expect(tokens.peek(old)?.clientId).toBe('acme:ann');
  });

  it('are used for an hour while the issuer is away; then its tokens are 503', async () => {
    const server = await publishKeys(keySetOf(key));
    const { tokens, state, warnings } = open(server.url);
    const old = await token();
    await tokens.verify(old);
    await server.stop();
    for (let minute = 10; minute <= 60; minute += 10) {
      state.at = START + minute * 60_000;
      expect((await tokens.verify(old))?.clientId).toBe('acme:ann');
      await expect.poll(() => warnings).toHaveLength(minute / 10);
    }
    state.at += 1;
    expect(tokens.peek(old)).toBeUndefined();
    await expect(tokens.verify(old)).rejects.toMatchObject(unavailable);
  });

  it('are asked for every five seconds while there are none, and Retry-After says when', async () => {
    const server = await publishKeys((_request, response) => response.writeHead(500).end());
    const { tokens, state } = open(server.url);
    const good = await token();
    const retryAfter = async () =>
      tokens.verify(good).then(
        () => undefined,
        (error) => {
          expect(error).toMatchObject(unavailable);
          return error.headers['Retry-After'];
        },
      );
    expect(await retryAfter()).toBe('5');
    state.at += 3500;
    expect([await retryAfter(), server.asked()]).toEqual(['2', 1]);
    state.at += 1500;
    expect([await retryAfter(), server.asked()]).toEqual(['5', 2]);
    server.answer(keySetOf(key));
    state.at += 5000;
    expect([await retryAfter(), server.asked()]).toEqual([undefined, 3]);
  });

  it('that are known do not answer for an unknown key while the issuer is away: that is 503', async () => {
    const server = await publishKeys(keySetOf(key));
    const { tokens, state } = open(server.url);
    const good = await token();
    await tokens.verify(good);
    await server.stop();
    state.at += 30_000;
    const other = await unknown();
    for (let n = 0; n < 2; n += 1) {
      await expect(tokens.verify(other)).rejects.toMatchObject({
        ...unavailable,
        headers: { 'Retry-After': '30' },
      });
      expect((await tokens.verify(good))?.clientId).toBe('acme:ann');
    }
  });
});

describe('an answer with keys', () => {
  const noise = 'x'.repeat(262_144);

  it.each<[what: string, body: string | Buffer, headers: Record<string, string>]>([
    ['is 10 MB long', 'x'.repeat(10_485_760), {}],
    ['is longer than 256 KB although it is a set of keys', JSON.stringify({ keys: [], noise }), {}],
    ['is small and unpacks to 10 MB', gzipSync('x'.repeat(10_485_760)), { 'content-encoding': 'gzip' }],
    ['is packed in an unknown way', '{"keys":[]}', { 'content-encoding': 'lz4' }],
    ['is no JSON', '<html>', {}],
    ['is no object', '[]', {}],
    ['has keys that are no list', '{"keys":{}}', {}],
    ['has keys that are no objects', '{"keys":[null]}', {}],
    ['is nested without end', '['.repeat(200_000), {}],
  ])('that %s is none: 503, and the log says so', async (_what, body, headers) => {
    const server = await publishKeys((_request, response) => response.writeHead(200, headers).end(body));
    const { tokens, warnings } = open(server.url);
    await expect(tokens.verify(await token())).rejects.toMatchObject(unavailable);
    expect(warnings).toMatchObject([{ issuer: 'acme', err: expect.any(Error) }]);
  });

  it.each([301, 302, 303, 307, 308])('is not looked for where a redirect with %d leads', async (status) => {
    const elsewhere = await publishKeys(keySetOf(key));
    const server = await publishKeys((_request, response) =>
      response.writeHead(status, { location: elsewhere.url }).end(),
    );
    const { tokens, warnings } = open(server.url);
    await expect(tokens.verify(await token())).rejects.toMatchObject(unavailable);
    expect(elsewhere.asked()).toBe(0);
    expect(warnings[0]?.err.message).toBe(`the answer has status ${status}`);
  });

  it('may hold keys of kinds that are not used here', async () => {
    const others = [
      { kty: 'oct', k: 'AAAA', kid: 'a' },
      { kty: 'new', kid: 'b' },
      { kty: 'RSA', kid: 'c' },
    ];
    const { keys } = JSON.parse(keySetOf(key));
    const server = await publishKeys(JSON.stringify({ keys: [...others, ...keys] }));
    expect((await open(server.url).tokens.verify(await token()))?.clientId).toBe('acme:ann');
  });
});

describe('a slow issuer', () => {
  afterEach(() => vi.useRealTimers());

  it.each<[what: string, begin: (response: ServerResponse) => void]>([
    ['never answers', () => undefined],
    ['begins an answer and never ends it', (response) => response.writeHead(200).write('{"keys":[')],
  ])('that %s is given up after two seconds: 503', async (_what, begin) => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const server = await publishKeys((_request, response) => {
      begin(response);
      resolve();
    });
    const { tokens } = open(server.url);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let settled = false;
    const verifying = tokens.verify(await token()).finally(() => {
      settled = true;
    });
    verifying.catch(() => undefined);
    await reached;
    await vi.advanceTimersByTimeAsync(1999);
    expect(settled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await expect(verifying).rejects.toMatchObject(unavailable);
  });

  it('holds up neither the tokens of another issuer nor the end of the server', async () => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const slow = await publishKeys(() => resolve());
    const other = await publishKeys(keySetOf(key));
    const issuers = [
      { ...ACME, name: 'slow', issuer: 'slow', jwksUrl: slow.url },
      { ...ACME, jwksUrl: other.url },
    ];
    const log = { info: () => undefined, warn: () => undefined };
    const tokens = createIssuerTokens({ issuers, log, now: () => START });
    const waiting = tokens.verify(await sign(claimsAt(START, { iss: 'slow' }), { key }));
    waiting.catch(() => undefined);
    await reached;
    expect((await tokens.verify(await token()))?.clientId).toBe('acme:ann');
    tokens.close();
    await expect(waiting).rejects.toMatchObject(unavailable);
  });
});
