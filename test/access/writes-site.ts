// A site for the rules of writes: a document says itself what may be done with it, action by action.
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type InjectAnswer, startApp, type TestApp } from '../helpers/app/app.ts';

const boolean = { type: 'Boolean' };
const allows = (flag: string) => [{ to: 'clients', where: { [flag]: true } }];

/** What `mayAll` allows. */
const RULES = {
  read: allows('mayRead'),
  create: allows('mayCreate'),
  update: allows('mayUpdate'),
  delete: allows('mayDelete'),
  history: allows('mayHistory'),
};

const FIELDS: JsonObject = {
  mayRead: boolean,
  mayCreate: boolean,
  mayUpdate: boolean,
  mayDelete: boolean,
  mayHistory: boolean,
  title: { type: 'String' },
  tag: { type: 'String' },
  /** Everybody may read it. */
  grade: { type: 'String', access: { write: ['editors'] } },
  /** Everybody may write it. */
  secret: { type: 'String', access: { read: ['editors'] }, validation: { minLength: 2 } },
  salary: { type: 'Number', access: { read: ['editors'], write: ['editors'] } },
  level: { type: 'String', default: 'low', access: { write: ['editors'] } },
  next: { type: 'Reference', settings: { collection: 'notes' } },
  chosen: { type: 'Reference', settings: { collection: 'notes' }, access: { write: ['editors'] } },
  code: { type: 'String' },
  pin: { type: 'String', access: { read: ['editors'] } },
};

const unique = (...names: readonly string[]) => ({
  keys: Object.fromEntries(names.map((name) => [name, 1])),
  options: { unique: true, sparse: true },
});

const SPECIFICATIONS: Readonly<Record<string, JsonObject>> = {
  '1.0/library/notes': {
    fields: FIELDS,
    settings: {
      storeRevisions: true,
      index: [unique('code'), unique('pin')],
      access: RULES,
    },
  },
  /** Without rules: it refers to what has some. */
  '1.0/library/shelves': {
    fields: {
      name: { type: 'String' },
      note: { type: 'Reference', settings: { collection: 'notes' } },
      grade: { type: 'String', access: { write: ['editors'] } },
      price: { type: 'Number', access: { read: ['editors'] } },
    },
    settings: {},
  },
};

export const NOTES = '/1.0/library/notes';
export const SHELVES = '/1.0/library/shelves';
/** An id that no document has. */
export const UNKNOWN = 'f'.repeat(24);

/** The flags of a document with which everything may be done but these actions. */
export function mayAllBut(...denied: readonly string[]): JsonObject {
  const flags = ['mayRead', 'mayCreate', 'mayUpdate', 'mayDelete', 'mayHistory'];
  return Object.fromEntries(flags.map((flag) => [flag, !denied.includes(flag)]));
}
export const mayAll = mayAllBut();

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
type Found = any;
type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<InjectAnswer>;

export interface WritesSite extends Pick<TestApp, 'app' | 'close' | 'inject'> {
  readonly admin: Send;
  /** A client without roles. */
  readonly client: Send;
  readonly editor: Send;
  readonly anonymous: Send;
  /** Creates a further client. */
  clientWith(clientId: string, roles: readonly string[], permissions?: JsonObject): Promise<Send>;
  /** Creates a document as admin. */
  add(document: JsonObject, path?: string): Promise<Found>;
  /** A document as it is stored; undefined where there is none. */
  stored(id: string, path?: string): Promise<Found>;
  /** Documents and revisions that there are. */
  counts(): Promise<readonly number[]>;
  /** The id of the first revision of a document, or of another one. */
  revisionOf(id: string, at?: number): Promise<string>;
}

/** Opens the site. `config`: what the configuration holds. */
export async function openWritesSite({ config = {} }: { config?: JsonObject } = {}): Promise<WritesSite> {
  const app = await startApp({ specs: SPECIFICATIONS, config });
  const sendAs =
    (token: string | null | undefined): Send =>
    (method, path, body, headers) =>
      app.inject(method, path, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
        ...(headers && { headers }),
      });
  const admin = sendAs(undefined);
  const clientWith: WritesSite['clientWith'] = async (clientId, roles, permissions) => {
    const body = { clientId, secret: 'a long secret', roles, ...(permissions && { permissions }) };
    const { status, text } = await admin('POST', '/api/clients', body);
    if (status !== 201) throw new Error(text);
    return sendAs(await app.token(clientId, 'a long secret'));
  };
  const stored: WritesSite['stored'] = async (id, path = NOTES) =>
    (await admin('GET', `${path}/${id}`)).body.results[0];
  return {
    ...app,
    admin,
    stored,
    clientWith,
    client: await clientWith('ann', []),
    editor: await clientWith('eve', ['editors']),
    anonymous: sendAs(null),
    async add(document, path = NOTES) {
      const { status, text, body } = await admin('POST', path, document);
      if (status !== 200) throw new Error(text);
      return body.results[0];
    },
    async counts() {
      const paths = [NOTES, SHELVES];
      const answers = await Promise.all(paths.map((path) => admin('GET', `${path}?count=1000`)));
      return answers.flatMap(({ body }) => [
        body.metadata.totalCount,
        body.results.reduce((sum: number, { v }: { v: number }) => sum + v, 0),
      ]);
    },
    async revisionOf(id, at = 0) {
      const { body } = await admin('GET', `${NOTES}/${id}/history`);
      return body.results[at]._id;
    },
  };
}
