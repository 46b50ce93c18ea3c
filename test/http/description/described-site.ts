// A site with everything that the API description tells callers apart by, and its callers: collections, files, endpoints, hooks, rights.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import {
  ACME,
  claimsAt,
  type KeyServer,
  keySetOf,
  newKey,
  sign,
  startKeyServer,
} from '../../auth/issuers/identity-provider.ts';
import { type EndpointServer, startEndpointServer } from '../../helpers/app/endpoint-server.ts';
import { upload } from '../../helpers/app/media-server.ts';
import { addReviewer, REVIEWER_SECRET } from '../../helpers/app/site.ts';
import { LIBRARY } from '../../helpers/fixtures/library.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';

const TEXT = { text: { type: 'String' } } as const;
const own = { createdBy: { $caller: 'clientId' } };

/** Names that stand nowhere else: whoever must not know of them must not find them in any text. */
export const SECRET_NAMES = ['veiledField', 'closedArchive', 'closedArchiveHistory', 'sealedNotes'] as const;

export const SITE_SPECS: Readonly<Record<string, JsonObject>> = {
  ...LIBRARY,
  '1.0/site/articles': {
    fields: {
      ...TEXT,
      veiledField: { type: 'Number', access: { read: ['editor'], write: ['editor'] } },
      origin: { type: 'Reference', settings: { collection: 'closedArchive' } },
    },
    settings: {
      storeRevisions: true,
      access: {
        read: [{ to: 'anyone' }],
        create: [{ to: 'author' }, { to: 'editor' }],
        update: [{ to: 'clients', where: own }, { to: 'editor' }],
        delete: [{ to: 'editor' }],
        history: [{ to: 'editor' }],
      },
    },
  },
  '1.0/site/closedArchive': { fields: TEXT, settings: { storeRevisions: true, access: {} } },
  '1.0/site/own': {
    fields: TEXT,
    settings: { access: { read: [{ to: 'clients', where: own }], create: [{ to: 'clients' }] } },
  },
  '1.0/site/open': { fields: TEXT, settings: { authenticate: false } },
  '1.0/site/half-open.2': { fields: TEXT, settings: { authenticate: ['POST', 'PUT', 'DELETE'] } },
  '1.0/site/size_1-a.b': { fields: { ...TEXT, 'ein "Name"/~1': { type: 'Boolean' } }, settings: {} },
  '2.0/site/open': { fields: TEXT, settings: { authenticate: false, displayName: 'Open **things**' } },
  '1.0/site/pictures': { fields: { caption: { type: 'String' } }, settings: { type: 'media' } },
  '1.0/site/scans': {
    fields: TEXT,
    settings: { type: 'media', access: { read: [{ to: 'editor' }], create: [{ to: 'clients' }] } },
  },
};

const ENDPOINTS: Readonly<Record<string, string>> = {
  open: 'exports.get = (req, res) => res.json({}); exports.model = { settings: { authenticate: false } };',
  plain: 'exports.get = (req, res) => res.json({}); exports.post = (req, res) => res.json({});',
  sealedNotes: 'exports.get = (req, res) => res.json({});',
  told: `exports.get = (req, res) => res.json({ n: 1 });
exports.openapi = { GET: {
  summary: 'Tells', parameters: [{ name: 'from', in: 'query', schema: { type: 'integer' } }],
  responses: { 200: { description: 'n', content: { 'application/json': {
    schema: { $ref: '#/$defs/n', $defs: { n: { type: 'object', properties: { n: { type: 'integer' } } } } } } } } } } };`,
};

export const CALLER_NAMES = [
  ...['anonymous', 'user', 'author', 'editor', 'narrow', 'reader', 'reviewer', 'issued', 'issuedEditor'],
  ...['admin', 'adminReviewer'],
] as const;
type CallerName = string;

const SECRET = 'a secret of a described client';
const CLIENTS: Readonly<Record<string, JsonObject>> = {
  user: {},
  author: { roles: ['author'] },
  editor: { roles: ['editor', 'author'] },
  narrow: {
    permissions: {
      actions: ['read', 'create', 'update'],
      collections: [
        { path: 'books', actions: ['read'] },
        { path: 'open', apiVersion: '2.0', actions: ['create'] },
        { path: 'scans' },
      ],
      endpoints: [{ path: 'told' }],
    },
  },
  reader: { permissions: { actions: ['read'] } },
};

export interface DescribedSite extends EndpointServer {
  /** A bearer token by the name of a caller; null for who has none. */
  readonly tokens: ReadonlyMap<CallerName, string | null>;
  readonly secrets: ReadonlyMap<CallerName, { readonly clientId: string; readonly secret: string }>;
  /** Ids of a document, with a revision, by path of its collection. */
  readonly ids: ReadonlyMap<string, { readonly id: string; readonly revisionId: string }>;
  describe(caller: CallerName): Promise<JsonObject>;
}

async function send(server: EndpointServer, method: string, path: string, body: Json) {
  const answer = await server.call(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Puts a document into each collection, and changes it once. */
async function fill(server: EndpointServer) {
  const ids = new Map<string, { id: string; revisionId: string }>();
  for (const [address, { fields, settings }] of Object.entries(SITE_SPECS)) {
    const path = `/${address.split('/').map(encodeURIComponent).join('/')}`;
    const isMedia = (settings as JsonObject)['type'] === 'media';
    const name = ['text', 'title', 'name', 'caption'].find((field) => field in (fields as JsonObject)) ?? '';
    const { results } = isMedia
      ? (await upload(server, path, {}, { token: await server.adminToken() })).body
      : await send(server, 'POST', path, { [name]: 'first' });
    const id = results[0]._id;
    await send(server, 'PUT', `${path}/${id}`, { [name]: 'second' });
    const revisions = await server.get(`${path}/${id}/history`);
    ids.set(path, { id, revisionId: revisions.body.results?.[0]?._id ?? '0'.repeat(24) });
  }
  return ids;
}

async function logIn(
  server: EndpointServer,
  issuedToken: (sub: string, roles: readonly string[]) => Promise<string>,
) {
  const tokens = new Map<CallerName, string | null>([
    ['anonymous', null],
    ['admin', await server.adminToken()],
  ]);
  const secrets = new Map<CallerName, { clientId: string; secret: string }>([['admin', ADMIN]]);
  for (const [clientId, rights] of Object.entries(CLIENTS)) {
    await send(server, 'POST', '/api/clients', { clientId, secret: SECRET, ...rights });
    tokens.set(clientId, await server.token(clientId, SECRET));
    secrets.set(clientId, { clientId, secret: SECRET });
  }
  for (const [clientId, isAdmin] of [
    ['reviewer', false],
    ['adminReviewer', true],
  ] as const) {
    tokens.set(clientId, await addReviewer(server, clientId, isAdmin));
    secrets.set(clientId, { clientId, secret: REVIEWER_SECRET });
  }
  tokens.set('issued', await issuedToken('ann', []));
  tokens.set('issuedEditor', await issuedToken('bob', ['editor']));
  return { tokens, secrets };
}

/** Starts the site on a socket. `config`: further settings. */
export async function startDescribedSite(config: JsonObject = {}): Promise<DescribedSite> {
  const key = newKey();
  const keys: KeyServer = await startKeyServer(keySetOf(key));
  const issuers = [{ ...ACME, jwksUrl: keys.url, roles: 'realm.roles' }];
  const server = await startEndpointServer({
    specs: SITE_SPECS,
    config: { auth: { issuers }, delivery: { enabled: true }, ...config },
  });
  for (const [name, source] of Object.entries(ENDPOINTS)) await server.endpoint(name, source);
  const hook = { body: 'module.exports = (obj) => obj;', headers: { 'content-type': 'text/plain' } };
  const posted = await server.call('POST', '/api/hooks/tidy/config', hook);
  if (posted.status !== 200) throw new Error(posted.text);
  const issuedToken = (sub: string, roles: readonly string[]) =>
    sign(claimsAt(Date.now(), { sub, realm: { roles } }), { key });
  const { tokens, secrets } = await logIn(server, issuedToken);
  return {
    ...server,
    tokens,
    secrets,
    ids: await fill(server),
    async describe(caller) {
      const token = tokens.get(caller);
      if (token === undefined) throw new Error(`no caller ${caller}`);
      const { status, body, text } = await server.get('/docs/openapi.json', { token });
      if (status !== 200) throw new Error(`${status} ${text}`);
      return body;
    },
    async close() {
      await server.close();
      await keys.stop();
    },
  };
}
