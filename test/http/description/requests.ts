// A request for each operation that the server answers with anything but a refusal to whoever may use it, and that changes nothing.
import type { SentFile } from '../../helpers/app/media-server.ts';
import type { FoundOperation } from './described-operations.ts';
import type { DescribedSite } from './described-site.ts';

export interface OperationRequest {
  readonly path: string;
  readonly body?: unknown;
  /** Of `body`, if it is text. */
  readonly type?: string;
  /** Files to send as a form. */
  readonly form?: SentFile;
}

const NOBODY = '0'.repeat(24);
const nothing = { query: { _id: NOBODY } };
const code = { body: 'exports.get = () => {', type: 'text/plain' };

/** Bodies by id of the operation, without the name of a collection. */
const BODIES: Readonly<Record<string, Omit<OperationRequest, 'path'>>> = {
  createDocuments: { body: { nowhere: 1 } },
  updateDocuments: { body: { ...nothing, update: {} } },
  updateDocument: { body: {} },
  deleteDocuments: { body: nothing },
  restoreRevision: {},
  // Of a collection, or in the one that it names.
  signUpload: { body: { fileName: 'a.jpg' } },
  signMediaUpload: { body: { fileName: 'a.jpg', collection: 'scans' } },
  createClient: { body: {} },
  updateClient: { body: {} },
  setClientSecret: { body: { secret: 1 } },
  putSpecification: { body: { fields: 1 } },
  changeConfiguration: { body: { nowhere: 1 } },
  flushCache: { body: {} },
  flushVariants: { body: {} },
  createRoute: { body: {} },
  replaceRoute: { body: {} },
  createRecipe: { body: {} },
  replaceRecipe: { body: {} },
  putEndpointPolicy: { body: { nowhere: 1 } },
  putHookPolicy: { body: { nowhere: 1 } },
  postEndpointCode: code,
  replaceEndpointCode: code,
  postHookCode: code,
  replaceHookCode: code,
  callPost: { body: {} },
};

/** What removes something is asked to remove what is not there. */
const MISSING = new Set([
  'updateClient',
  'removeClient',
  'removeSpecification',
  'removeEndpoint',
  'removeHook',
  'removeRoute',
  'removeRecipe',
]);

function parameterOf(
  name: string,
  { id, path }: FoundOperation,
  site: DescribedSite,
  caller: string,
): string {
  const base = site.paths.find((start) => path.startsWith(`${start}/`));
  const collection = base === undefined ? undefined : site.documentOf(base, caller);
  const isMissing = MISSING.has(id);
  switch (name) {
    case 'version':
      return '1.0';
    case 'database':
      return 'site';
    case 'collection':
      return isMissing ? 'nowhere' : 'open';
    case 'endpoint':
      return isMissing ? 'nowhere' : 'told';
    case 'number':
    case 'other':
      return '1';
    case 'revisionId':
      return collection?.revisionId ?? NOBODY;
    case 'name':
      return /Hook/.test(id) && !isMissing ? 'tidy' : 'nowhere';
    case 'id':
      if (collection === undefined) return isMissing ? 'nowhere' : caller;
      return id.startsWith('deleteDocument') ? NOBODY : collection.id;
    default:
      throw new Error(`no value for {${name}} of ${path}`);
  }
}

async function signedToken(site: DescribedSite): Promise<string> {
  const body = { fileName: 'test.jpg', collection: 'pictures' };
  const { body: signed } = await site.call('POST', '/api/media/sign', { body });
  return String(signed.url).split('/').at(-1) ?? '';
}

/** The request of a caller for an operation. */
export async function requestFor(
  site: DescribedSite,
  operation: FoundOperation,
  caller: string,
): Promise<OperationRequest> {
  const kind = operation.id.split('_')[0] ?? '';
  if (kind === 'issueToken')
    return { path: '/token', body: site.secrets.get(caller) ?? site.secrets.get('user') };
  if (operation.path === '/api/media/sign') {
    return { path: operation.path, body: { fileName: 'a.jpg', collection: 'scans' } };
  }
  if (kind === 'uploadSigned') return { path: `/media/${await signedToken(site)}`, form: {} };
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    parameterOf(name, operation, site, caller),
  );
  const isForm =
    kind === 'createDocuments' && 'multipart/form-data' in operation.operation.requestBody.content;
  if (isForm) return { path, form: {} };
  return { path, ...BODIES[kind] };
}
