// A site whose API description is driven by a program: the example workspace, every field type, roles, a hook, files, posted code.
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { type EndpointServer, startEndpointServer } from '../../../helpers/app/endpoint-server.ts';
import { upload } from '../../../helpers/app/media-server.ts';
import { exampleFiles } from '../../../helpers/fixtures/example-workspace.ts';

const EXAMPLE = /^workspace\/collections\/([^/]+)\/([^/]+)\/collection\.(\w+)\.json$/;

/** The collections of the example workspace by their addresses. */
function exampleSpecs(): Readonly<Record<string, JsonObject>> {
  const found = [...exampleFiles()].flatMap(([path, text]) => {
    const [, version, database, name] = EXAMPLE.exec(path) ?? [];
    return name === undefined ? [] : [[`${version}/${database}/${name}`, JSON.parse(text) as JsonObject]];
  });
  return Object.fromEntries(found);
}

const SPECS: Readonly<Record<string, JsonObject>> = {
  '1.0/site/types': {
    fields: {
      text: { type: 'String', label: 'A text', validation: { maxLength: 20, minLength: 2 } },
      pattern: { type: 'String', validation: { regex: { pattern: '^[a-z]{2,5}$' } } },
      number: { type: 'Number', default: 1 },
      flag: { type: 'Boolean', required: true },
      time: { type: 'DateTime' },
      mixed: { type: 'Mixed' },
      object: { type: 'Object' },
      id: { type: 'ObjectID' },
      other: { type: 'Reference', settings: { collection: 'articles' } },
    },
    settings: { storeRevisions: true, compose: true },
  },
  '1.0/site/articles': {
    fields: {
      text: { type: 'String' },
      note: { type: 'String', access: { read: ['editor'], write: ['editor'] } },
    },
    settings: {
      storeRevisions: true,
      access: {
        read: [{ to: 'anyone' }],
        create: [{ to: 'author' }],
        update: [{ to: 'author', where: { createdBy: { $caller: 'clientId' } } }],
        delete: [{ to: 'author', where: { createdBy: { $caller: 'clientId' } } }],
        history: [{ to: 'author' }],
      },
    },
  },
};

const ENDPOINTS: Readonly<Record<string, string>> = {
  plain: 'exports.get = (req, res) => res.json({}); exports.post = (req, res) => res.json({});',
  told: `exports.get = (req, res) => res.json({ n: 1 });
exports.openapi = { GET: {
  summary: 'Tells', parameters: [{ name: 'from', in: 'query', schema: { type: 'integer' } }],
  responses: { 200: { description: 'n', content: { 'application/json': {
    schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } } } } } } };`,
};
const HOOK = "module.exports = (obj) => { if (obj.text === 'bad') throw new Error('bad'); return obj; };";

const FORM_PATHS: ReadonlySet<string> = new Set(['/1.0/library/images']);
const SECRET = 'a secret of the user of a driven site';

export interface DrivenSite extends EndpointServer {
  readonly userToken: () => Promise<string>;
  /** Ids of documents by the path of their collection: those of the user first. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
}

/** A document of each collection that takes any. */
const DOCUMENTS: Readonly<Record<string, JsonObject>> = {
  '/1.0/library/books': { title: 'Dune' },
  '/1.0/library/people': { name: 'Ada' },
  '/1.0/site/types': { flag: true, text: 'first' },
  '/1.0/site/articles': { text: 'first' },
  '/1.0/site/hooked': { text: 'first' },
};
/** Documents of each collection: enough that some are left when others are deleted. */
const COUNT = 8;

async function must(server: EndpointServer, method: string, path: string, options: object) {
  const answer = await server.call(method, path, options);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

async function fill(server: EndpointServer, token: string): Promise<DrivenSite['ids']> {
  const ids = new Map<string, readonly string[]>();
  for (const [path, document] of Object.entries(DOCUMENTS)) {
    const created: string[] = [];
    for (let n = 0; n < COUNT; n += 1) {
      const options = path === '/1.0/site/articles' ? { token } : {};
      const { results } = await must(server, 'POST', path, { ...options, body: document });
      await must(server, 'PUT', `${path}/${results[0]._id}`, { ...options, body: document });
      created.push(results[0]._id);
    }
    ids.set(path, created);
  }
  for (const path of FORM_PATHS) {
    const { body } = await upload(server, path, Array(COUNT).fill({}), { token });
    ids.set(
      path,
      body.results.map((record: { readonly _id: string }) => record._id),
    );
  }
  return ids;
}

/** Starts it on a socket. */
export async function startDrivenSite(): Promise<DrivenSite> {
  const server = await startEndpointServer({
    specs: { ...exampleSpecs(), ...SPECS },
    config: { delivery: { enabled: true }, docs: { enabled: true } },
  });
  for (const [name, source] of Object.entries(ENDPOINTS)) await server.endpoint(name, source);
  await must(server, 'POST', '/api/hooks/tidy/config', {
    body: HOOK,
    headers: { 'content-type': 'text/plain' },
  });
  const hooked = { fields: { text: { type: 'String' } }, settings: { hooks: { beforeCreate: ['tidy'] } } };
  await must(server, 'POST', '/1.0/site/hooked/config', { body: hooked });
  await must(server, 'POST', '/api/recipes', { body: { recipe: 'small', settings: { width: 10 } } });
  await must(server, 'POST', '/api/routes', {
    body: { route: 'picture', branches: [{ condition: { device: 'mobile' }, recipe: 'small' }] },
  });
  const user = { clientId: 'author', secret: SECRET, roles: ['author'] };
  await must(server, 'POST', '/api/clients', { body: user });
  const userToken = () => server.token(user.clientId, SECRET);
  return { ...server, userToken, ids: await fill(server, await userToken()) };
}
