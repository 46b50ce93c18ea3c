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

const SITE_SPECS: Readonly<Record<string, JsonObject>> = {
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
        update: [{ to: 'author' }, { to: 'editor' }],
        delete: [{ to: 'editor' }],
        history: [{ to: 'editor' }],
      },
    },
  },
  '1.0/site/closedArchive': { fields: TEXT, settings: { storeRevisions: true, access: {} } },
  '1.0/site/own': {
    fields: TEXT,
    settings: {
      storeRevisions: true,
      access: {
        read: [{ to: 'clients', where: own }],
        create: [{ to: 'clients' }],
        update: [{ to: 'clients', where: own }],
        history: [{ to: 'clients', where: own }],
      },
    },
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
  /** A document, with a revision, of the collection at a path; of the caller itself where only own ones may be changed. */
  documentOf(path: string, caller: CallerName): { readonly id: string; readonly revisionId: string };
  readonly paths: readonly string[];
  describe(caller: CallerName): Promise<JsonObject>;
}

type Call = Pick<EndpointServer, 'call' | 'app'> & { readonly token: string | null };
interface Filled {
  readonly id: string;
  readonly revisionId: string;
}

async function send({ call, token }: Call, method: string, path: string, body?: Json) {
  const answer = await call(method, path, body === undefined ? { token } : { token, body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

const PATHS = Object.keys(SITE_SPECS).map((address) => `/${address}`);
const OWN = '/1.0/site/own';

const NOTHING: Filled = { id: '0'.repeat(24), revisionId: '0'.repeat(24) };

/** Puts a document into a collection, and changes it once. */
async function fill(server: Call, path: string): Promise<Filled> {
  const { fields = {}, settings = {} } = SITE_SPECS[path.slice(1)] as Readonly<Record<string, JsonObject>>;
  const isMedia = settings['type'] === 'media';
  const name = ['text', 'title', 'name', 'caption'].find((field) => field in fields) ?? '';
  const { results } = isMedia
    ? (await upload(server, path, {}, { token: server.token ?? '' })).body
    : await send(server, 'POST', path, { [name]: 'first' });
  const id = results[0]._id;
  await send(server, 'PUT', `${path}/${id}`, { [name]: 'second' });
  if (settings['storeRevisions'] !== true) return { ...NOTHING, id };
  const revisions = await send(server, 'GET', `${path}/${id}/history`);
  return { id, revisionId: revisions.results[0]._id };
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
    await send({ ...server, token: await server.adminToken() }, 'POST', '/api/clients', {
      clientId,
      secret: SECRET,
      ...rights,
    });
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

/** Starts the site on a socket. `config`: further settings. `hasFiles`: whether there may be uploads. */
export async function startDescribedSite(
  config: JsonObject = {},
  { hasFiles = true } = {},
): Promise<DescribedSite> {
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
  const documents = new Map<string, Filled>();
  const admin = { ...server, token: await server.adminToken() };
  for (const path of PATHS) {
    const { settings } = SITE_SPECS[path.slice(1)] as Readonly<Record<string, JsonObject>>;
    const isMedia = settings?.['type'] === 'media';
    documents.set(path, isMedia && !hasFiles ? NOTHING : await fill(admin, path));
  }
  for (const [caller, token] of tokens) {
    if (caller !== 'anonymous' && caller !== 'reader' && caller !== 'narrow') {
      documents.set(`${OWN} ${caller}`, await fill({ ...server, token }, OWN));
    }
  }
  return {
    ...server,
    tokens,
    secrets,
    paths: PATHS,
    documentOf(path, caller) {
      const found = documents.get(`${path} ${caller}`) ?? documents.get(path);
      if (found === undefined) throw new Error(`no document in ${path}`);
      return found;
    },
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
