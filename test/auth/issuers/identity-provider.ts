// An identity provider on this machine: keys of every kind, a server that publishes them, and tokens signed by a library or by hand.
import { createHmac, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import type { IssuerSettings } from '../../../src/auth/issuers/issuer-tokens.ts';

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

type Algorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

function generate(alg: Algorithm) {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

export const newKey = (alg: Algorithm = 'ES256', kid: string = randomUUID()): SigningKey => ({
  kid,
  alg,
  ...generate(alg),
});

export const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

/** The public key as a set of keys has it. */
export const jwkOf = ({ kid, alg, publicKey }: SigningKey) => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
});

export const keySetOf = (...keys: readonly SigningKey[]) => JSON.stringify({ keys: keys.map(jwkOf) });

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token as nobody should send it; text is encoded as it is. Signed with a shared secret, or with what `signature` says. */
export function forge(header: unknown, claims: unknown, secret: string | Buffer, signature?: string): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${signature ?? createHmac('sha256', secret).update(text).digest('base64url')}`;
}

export interface TokenOptions {
  readonly key: SigningKey;
  /** Members to add to the header, or to replace; undefined leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>;
}

/** Signs exactly these claims. */
export function sign(claims: JWTPayload, { key, header = {} }: TokenOptions): Promise<string> {
  const members = { alg: key.alg, kid: key.kid, ...header };
  const present = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const crit = Object.fromEntries(
    (Array.isArray(present['crit']) ? present['crit'] : []).map((name) => [name, true]),
  );
  return new SignJWT(claims).setProtectedHeader(present as { alg: string }).sign(key.privateKey, { crit });
}

export interface KeyServer {
  readonly url: string;
  /** Requests so far. */
  readonly asked: () => number;
  /** Replaces what it answers: a text with status 200, or anything. */
  answer(next: string | RequestListener): void;
  /** Refuses connections from now on. */
  stop(): Promise<void>;
}

/** Publishes keys on 127.0.0.1 until it is stopped. */
export async function startKeyServer(first: string | RequestListener): Promise<KeyServer> {
  let current = first;
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (typeof current !== 'string') return current(request, response);
    return response.setHeader('content-type', 'application/json').end(current);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}/jwks`,
    asked: () => asked,
    answer(next) {
      current = next;
    },
    stop,
  };
}

/** The same until the test is over. */
export async function publishKeys(first: string | RequestListener): Promise<KeyServer> {
  const server = await startKeyServer(first);
  onTestFinished(server.stop);
  return server;
}

export const ACME = {
  name: 'acme',
  issuer: 'https://login.acme.test/',
  audience: 'https://content.test',
} as const satisfies IssuerSettings;

/** Claims that are good at `at`, in epoch milliseconds, for five minutes. */
export const claimsAt = (at: number, more: JWTPayload = {}): JWTPayload => ({
  iss: ACME.issuer,
  aud: ACME.audience,
  sub: 'ann',
  iat: Math.floor(at / 1000),
  exp: Math.floor(at / 1000) + 300,
  ...more,
});
