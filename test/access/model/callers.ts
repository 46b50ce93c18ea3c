// The callers of the model: one of every kind that a rule can tell from another.
import type { TestApp } from '../../helpers/app/app.ts';
import type { ModelCaller } from './world.ts';

const client = (name: string, more: Partial<ModelCaller> = {}): ModelCaller => ({
  name,
  clientId: name,
  roles: [],
  isAdmin: false,
  ...more,
});

export const CALLERS = {
  anonymous: { name: 'anonymous', clientId: null, roles: [], isAdmin: false },
  /** Has no role, and no rule names it. */
  plain: client('plain'),
  /** Has the role `editors`. */
  editor: client('editor', { roles: ['editors', 'staff'] }),
  /** Rules name it. */
  ann: client('ann'),
  /** May only read and change books. */
  limited: client('limited', {
    roles: ['editors'],
    permissions: { collections: [{ path: 'books', actions: ['read', 'update'] }] },
  }),
  /** May read everything, and nothing else. */
  reader: client('reader', { roles: ['editors'], permissions: { actions: ['read'] } }),
  admin: client('admin', { isAdmin: true }),
} as const satisfies Readonly<Record<string, ModelCaller>>;

export type CallerName = keyof typeof CALLERS;

export const CALLER_NAMES = Object.keys(CALLERS) as readonly CallerName[];

const SECRET = 'a secret of a caller of the model';

export type Tokens = Readonly<Record<string, string | null>>;

/** Creates a client with these roles and permissions, and resolves with its token. */
async function createClient(app: TestApp, caller: ModelCaller): Promise<string> {
  const { clientId, roles, permissions } = caller;
  const body = { clientId, secret: SECRET, roles, ...(permissions === undefined ? {} : { permissions }) };
  const { status, text } = await app.inject('POST', '/api/clients', { body });
  if (status !== 201) throw new Error(`no client ${clientId}: ${status} ${text}`);
  return app.token(clientId as string, SECRET);
}

/** The token of each caller; null for the one without. */
export async function createCallers(
  app: TestApp,
  callers: readonly ModelCaller[] = Object.values(CALLERS),
): Promise<Tokens> {
  const tokens: [string, string | null][] = [];
  for (const caller of callers) {
    const token = caller.isAdmin
      ? await app.adminToken()
      : caller.clientId === null
        ? null
        : await createClient(app, caller);
    tokens.push([caller.name, token]);
  }
  return Object.fromEntries(tokens);
}
