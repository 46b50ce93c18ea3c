// A real identity provider issues the tokens: the library behind many of them, over HTTP, with its own ideas of headers and claims.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createIssuerTokens } from '../../../src/auth/issuers/issuer-tokens.ts';
import { newKey, type SigningKey } from './identity-provider.ts';

const RESOURCE = 'https://content.test/';
const CLIENT = { client_id: 'robot', client_secret: 'a secret of the robot' };

const privateJwk = ({ kid, alg, privateKey }: SigningKey) => ({
  ...privateKey.export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
});

function configurationOf(keys: readonly SigningKey[], alg: string): object {
  const resource = { scope: 'read', audience: RESOURCE, accessTokenFormat: 'jwt', jwt: { sign: { alg } } };
  return {
    clients: [{ ...CLIENT, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    jwks: { keys: keys.map(privateJwk) },
    extraTokenClaims: () => ({ realm: { roles: ['editor', 'admin'] } }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: () => resource,
      },
    },
  };
}

// It warns of its defaults, which are good enough here.
beforeEach(() => {
  for (const method of ['warn', 'info'] as const)
    vi.spyOn(console, method).mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

/** Starts the provider; it signs with `alg`. */
async function startProvider(keys: readonly SigningKey[], alg: string) {
  const { Provider } = await import('oidc-provider');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', new Provider(issuer, configurationOf(keys, alg)).callback());
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`);
  const discovery = (await answer.json()) as Readonly<Record<'jwks_uri' | 'token_endpoint', string>>;
  return {
    issuer,
    jwksUrl: discovery.jwks_uri,
    async token(): Promise<string> {
      const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'read' });
      const basic = Buffer.from(`${CLIENT.client_id}:${encodeURIComponent(CLIENT.client_secret)}`);
      const headers = { authorization: `Basic ${basic.toString('base64')}` };
      const issued = await fetch(discovery.token_endpoint, { method: 'POST', body, headers });
      const { access_token: token } = (await issued.json()) as { readonly access_token?: string };
      if (token === undefined) throw new Error(`no token: ${issued.status}`);
      return token;
    },
  };
}

it.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
  'a token that a real provider signs with %s is accepted for its audience',
  async (alg) => {
    const { issuer, jwksUrl, token } = await startProvider([newKey('RS256'), newKey(alg)], alg);
    const settings = { name: 'login', issuer, jwksUrl, roles: 'realm.roles' };
    const log = { info: () => undefined, warn: () => undefined };
    const open = (audience: string) =>
      createIssuerTokens({ issuers: [{ ...settings, audience }], log, now: Date.now });
    const issued = await token();
    expect(await open(RESOURCE).verify(issued)).toEqual({
      id: 'login:robot',
      clientId: 'login:robot',
      accessType: 'user',
      permissions: null,
      roles: ['editor'],
      issuer: 'login',
    });
    await expect(open('https://other.test/').verify(issued)).resolves.toBeUndefined();
  },
);
