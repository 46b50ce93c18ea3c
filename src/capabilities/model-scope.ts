// Authorizes one `Model` call: resolves its name to a grant of the policy, then collection, acting client and deadline.

import type { Client } from '../auth/clients/client.ts';
import { type CollectionAccess, narrowAccess, notPermitted } from '../collections/model/access.ts';
import type { Collection, CollectionRegistry } from '../collections/model/collection.ts';
import {
  type Caller,
  type HookRequest,
  type RequestContext,
  withLiveDeadline,
} from '../collections/model/documents.ts';
import type { HookWrites } from '../collections/model/hook-writes.ts';
import { AppError } from '../errors/errors.ts';
import type { AccessAction } from '../lib/access-actions.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type {
  CollectionGrant,
  ModelAction,
  ModuleVersion,
} from '../sandbox-supervisor/model/module-version.ts';
import { GuestCallError, getArgument } from './guest-call.ts';

/** What a grant must name for each action. */
const MODEL_ACTION_OF: Readonly<Record<AccessAction, ModelAction>> = {
  read: 'find',
  create: 'create',
  update: 'update',
  delete: 'delete',
  history: 'find',
};

/** One error for collections that are not granted and for missing ones: names cannot be probed. */
function notGrantedError(): GuestCallError {
  return new GuestCallError('NOT_GRANTED', 'The policy of this module grants no such use of a collection');
}

const isNamedBy = (grant: CollectionGrant, name: string) =>
  grant.name === name || grant.name.endsWith(`/${name}`);

/**
 * The grant for an action on `books`, `library/books` or `1.0/library/books`. Throws NOT_GRANTED, and AMBIGUOUS_NAME for a
 * short name that several granted collections have.
 */
export function findCollectionGrant(
  grants: readonly CollectionGrant[],
  name: string,
  action: ModelAction,
): CollectionGrant {
  const named = grants.filter((grant) => isNamedBy(grant, name));
  const paths = new Set(named.map((grant) => grant.name));
  if (paths.size > 1) {
    const choices = [...paths].sort().join(', ');
    throw new GuestCallError('AMBIGUOUS_NAME', `The name may mean any of ${choices}`);
  }
  const grant = named.find(({ actions }) => actions.includes(action));
  if (grant === undefined) throw notGrantedError();
  return grant;
}

/** What the call itself does, which a grant allows. */
interface GrantedCall {
  /** Of its collection. */
  readonly path: string;
  readonly action: AccessAction;
}

/**
 * Restricts `caller` to the grants: what a query reaches through references (composed documents, filters, sub-documents)
 * must be granted as well as permitted.
 */
export function restrictCaller(
  caller: Caller,
  grants: readonly CollectionGrant[],
  granted: GrantedCall,
): Caller {
  const narrow = (collection: Collection, access: CollectionAccess) => {
    const own = grants.filter(({ name }) => `/${name}` === collection.path);
    const isOfCall = collection.path === granted.path;
    return narrowAccess(
      access,
      (action) =>
        (isOfCall && action === granted.action) ||
        own.some(({ actions }) => actions.includes(MODEL_ACTION_OF[action])),
    );
  };
  const known = new WeakMap<
    Collection,
    { readonly of: CollectionAccess; readonly access: CollectionAccess }
  >();
  return {
    clientId: caller.clientId,
    access(collection) {
      const of = caller.access(collection);
      const last = known.get(collection);
      // Another one where the specifications have changed meanwhile.
      if (last?.of === of) return last.access;
      const access = narrow(collection, of);
      known.set(collection, { of, access });
      return access;
    },
  };
}

/** `Model` calls that run inside each other's hooks. */
const MAX_DEPTH = 4;

const ACCESS_ACTION_OF: Readonly<Record<ModelAction, AccessAction>> = {
  find: 'read',
  count: 'read',
  stats: 'read',
  create: 'create',
  update: 'update',
  delete: 'delete',
};

/** The module version that is invoked, and for whom. */
export interface InvocationContext {
  readonly moduleVersion: ModuleVersion;
  /** Null: anonymous. */
  readonly client: Client | null;
  readonly requestId: string;
  /** Number of `Model` calls above this invocation of a hook; 0 if absent. */
  readonly depth?: number;
  /** Epoch milliseconds by which the write of the hook must have ended. */
  readonly deadline?: number;
  /** Of a hook: path of the collection whose hook it is. */
  readonly hookOf?: string;
  /** Of a hook: what is told of its writes. */
  readonly reportsTo?: HookWrites;
  /** The request that it serves, for the hooks of what it reads and writes; undefined where there is none. */
  readonly ownRequest?: () => HookRequest | undefined;
  /** Aborted when the invocation has ended: nothing of it begins any more. */
  readonly signal?: AbortSignal;
}

export interface ModelScopeDeps {
  readonly registry: Pick<CollectionRegistry, 'get' | 'isRevisionCollection'>;
  readonly createCaller: (client: Client | null) => Caller;
  /** Finds the current client with this `clientId`. */
  readonly findClient: (clientId: string) => Promise<Client | undefined>;
  /** The same from a cache of a few seconds: the caller is looked up in each call. */
  readonly findCached: (clientId: string) => Promise<Client | undefined>;
  readonly queryMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface ModelScope {
  readonly collection: Collection;
  readonly grant: CollectionGrant;
  readonly context: RequestContext;
  readonly invocation: InvocationContext;
}

type Clients = Pick<ModelScopeDeps, 'findClient' | 'findCached'>;

/**
 * The current client of the caller: after-hooks and code that keeps a request may run long after its token was checked. A user of
 * another issuer has no record: it is as its token said.
 */
async function findCurrentCaller(caller: Client, findCached: Clients['findCached']): Promise<Client> {
  if (caller.issuer !== undefined) return caller;
  const client = await findCached(caller.clientId);
  if (client?.id === caller.id) return client;
  throw new GuestCallError('CLIENT_REMOVED', 'The client that called does not exist any more');
}

async function resolveActingClient(
  { as }: CollectionGrant,
  caller: Client | null,
  { findClient: find, findCached }: Clients,
) {
  if (as === 'caller') return caller === null ? null : findCurrentCaller(caller, findCached);
  const client = as.startsWith('client:') ? await find(as.slice('client:'.length)) : undefined;
  if (client === undefined) {
    throw new GuestCallError('CLIENT_REMOVED', 'The client that the policy names does not exist');
  }
  return client;
}

function resolveCollection(registry: ModelScopeDeps['registry'], { name }: CollectionGrant): Collection {
  const [version = '', database = '', collection = ''] = name.split('/');
  const found = registry.get(version, database, collection);
  if (found === undefined) throw notGrantedError();
  return found;
}

/**
 * A call with one object, as later versions of the older server had it, could mean a query for a field of that name. Throws
 * BAD_ARGUMENTS there.
 */
function assertForm(args: JsonObject, action: ModelAction, { fields, name }: Collection): void {
  if (args['form'] !== 'object') return;
  const main = action === 'create' ? 'documents' : 'query';
  if (!fields.has(main)) return;
  throw new GuestCallError(
    'BAD_ARGUMENTS',
    `\`${name}\` has a field \`${main}\`, so that a call with one object is ambiguous: pass an object of options as well, \`{}\` for none`,
  );
}

/** Creates the function that authorizes a call. It throws a GuestCallError, NO_TOKEN, NOT_PERMITTED, METHOD_NOT_ALLOWED. */
export function createModelScope(deps: ModelScopeDeps) {
  const { registry, createCaller, queryMs, now } = deps;
  return async (action: ModelAction, args: JsonObject, run: InvocationContext): Promise<ModelScope> => {
    const { moduleVersion, depth = 0, deadline = Number.POSITIVE_INFINITY, signal, reportsTo, hookOf } = run;
    if (depth >= MAX_DEPTH)
      throw new GuestCallError('TOO_DEEP', 'Hooks call `Model` inside each other too deep');
    const name = getArgument(args, 'collection');
    if (typeof name !== 'string') throw new GuestCallError('BAD_ARGUMENTS', 'The collection must be a text');
    const grants = moduleVersion.policy.grants.collections;
    const grant = findCollectionGrant(grants, name, action);
    const collection = resolveCollection(registry, grant);
    const client = await resolveActingClient(grant, run.client, deps);
    const caller = createCaller(client);
    assertForm(args, action, collection);
    const needed = ACCESS_ACTION_OF[action];
    const access = caller.access(collection);
    if (access[needed] === null) {
      throw client === null ? new AppError('NO_TOKEN') : notPermitted(access, caller);
    }
    if (needed !== 'read' && registry.isRevisionCollection(collection))
      throw new AppError('METHOD_NOT_ALLOWED');
    const until = Math.min(now() + queryMs, deadline);
    // The code only says that it passes its request on: what hooks see of it is what the server knows.
    const http = args['passesRequest'] === true ? run.ownRequest?.() : undefined;
    const members = {
      // Grants for another acting client do not apply to references.
      caller: restrictCaller(
        caller,
        grants.filter(({ as }) => as === grant.as),
        { path: collection.path, action: needed },
      ),
      maxMatches: grant.maxResults,
      callDepth: depth + 1,
      origin: { requestId: run.requestId, client, module: moduleVersion.id, ...(http && { http }) },
      ...(reportsTo && { reportsTo }),
      // Older hooks read their own collection with these forms of the call, and its hooks would run them again.
      ...(args['olderForm'] === true && hookOf === collection.path && { withoutReadHooksOf: hookOf }),
    };
    // It passes when the invocation ends. It is read at every step of the store: a write that has not begun by then does not begin.
    const context = withLiveDeadline(members, () => (signal?.aborted === true ? 0 : until));
    return { collection, grant, context, invocation: run };
  };
}
