// What a client may do with a collection, or with one of its documents, and which rule or permission decides: for admins.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { decideAction } from '../../auth/access/decide-access.ts';
import { explainAction, generalAnswer } from '../../auth/access/explain-access.ts';
import type { Client } from '../../auth/clients/client.ts';
import type { Collection } from '../../collections/model/collection.ts';
import type { DocumentRights } from '../../collections/model/document-facts.ts';
import { ID_PATTERN } from '../../collections/model/fields/object-id.ts';
import { createParameterError } from '../../collections/model/read-parameters.ts';
import { AppError } from '../../errors/errors.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../lib/access-actions.ts';
import { isId } from '../../lib/ids.ts';
import { objectOf, ref } from '../../lib/json/schema-parts.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { json, type Operation } from '../core/operation.ts';
import { sendJson } from '../core/reply.ts';
import { requireAdmin } from '../core/request-access.ts';
import { createRequestDeadline } from '../core/request-context.ts';
import { parseTextParameter } from '../core/request-url.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';

const NAMES = { type: 'array', items: { type: 'string' } };

/** Components of the operation. */
export const CLIENT_ACCESS_SCHEMAS = {
  ActionDecision: objectOf({
    allowed: {
      enum: ['yes', 'no', 'some'],
      description: '`some`: with documents that match a rule',
    },
    because: { type: 'string', description: 'Which rule or permission decides, in words' },
  }),
  ClientAccess: objectOf(
    {
      clientId: { type: 'string' },
      path: { type: 'string', description: 'Of the collection' },
      document: { type: 'string', description: 'Its id, where one was asked about' },
      state: {
        enum: ['present', 'removed', 'absent'],
        description: 'Of the document: `absent` where there never was one, or nothing is left of it',
      },
      actions: objectOf(Object.fromEntries(ACCESS_ACTIONS.map((action) => [action, ref('ActionDecision')]))),
      hidden: { ...NAMES, description: 'Fields that the client may not read' },
      closed: { ...NAMES, description: 'Fields that the client may not write' },
      hooks: { ...NAMES, description: 'Events with hooks, whose code may still refuse or hide something' },
    },
    ['document', 'state'],
  ),
};

const GET_CLIENT_ACCESS: Operation = {
  id: 'getClientAccess',
  tag: 'Clients',
  audience: 'admins',
  summary: 'Tells what a client may do with a collection or a document, and why',
  description:
    'The decisions are those that a request with a token of the client would meet. Nothing is written, and no hook runs.',
  pathParameters: { id: 'Id of the client' },
  parameters: [
    {
      in: 'query',
      name: 'path',
      description: 'The collection: `/{version}/{database}/{collection}`',
      schema: { type: 'string', examples: ['/1.0/library/books'] },
      required: true,
    },
    {
      in: 'query',
      name: 'document',
      description: 'Id of one of its documents',
      schema: { type: 'string', pattern: ID_PATTERN },
    },
  ],
  answers: { 200: { description: 'The decisions', content: json(ref('ClientAccess')) } },
};

interface Question {
  readonly client: Client;
  readonly collection: Collection;
  readonly id?: string;
  readonly rights?: DocumentRights;
}

const stateOf = ({ isRemoved, isKnown }: DocumentRights) => {
  if (isRemoved) return 'removed';
  return isKnown ? 'present' : 'absent';
};

/** The decision about one action, and its reason. What the document itself decides comes before rules. */
function decisionOf({ client, collection, rights }: Question, action: AccessAction, needsRules: boolean) {
  const scope = decideAction(client, collection, action, { needsRules });
  const matches = action === 'create' ? undefined : rights?.matches;
  const why = explainAction(scope, { collection, action, matches });
  if (rights === undefined || action === 'create') {
    return { allowed: generalAnswer(scope), because: why };
  }
  if (rights.allowed[action]) return { allowed: 'yes', because: why };
  return { allowed: 'no', because: reasonOf(rights, action, { why, isNever: scope.filter === null }) };
}

function reasonOf(
  { isKnown, isRemoved, isHidden, allowed }: DocumentRights,
  action: Exclude<AccessAction, 'create'>,
  { why, isNever }: { readonly why: string; readonly isNever: boolean },
): string {
  if (isNever) return why;
  if (!isKnown) return 'There is no such document';
  if (isRemoved && action !== 'history') return 'The document was removed';
  if (isHidden && (action === 'read' || action === 'history')) {
    return 'The default filters of the collection (`settings.defaultFilters`) do not show it';
  }
  if (action === 'history' && !allowed.read)
    return `Revisions are for those who may read the document too. ${why}`;
  return why;
}

type Deps = Pick<HttpDeps, 'clients' | 'config' | 'createCaller' | 'documents' | 'now' | 'registry'>;

/** Registers the question. */
export function clientAccessRoutes(server: FastifyInstance, deps: Deps): void {
  const { clients, registry, documents, createCaller } = deps;
  const deadline = createRequestDeadline(deps);
  const ask = async (request: FastifyRequest): Promise<Question> => {
    const { id: clientId } = request.params as { readonly id: string };
    const path = parseTextParameter(request.originalUrl, 'path');
    const id = parseTextParameter(request.originalUrl, 'document')?.toLowerCase();
    const collection = registry.list().find((one) => one.path === path);
    if (collection === undefined) {
      throw createParameterError(
        'path',
        'The `path` parameter must be the path of a collection, such as /1.0/library/books',
      );
    }
    if (id !== undefined && !isId(id)) {
      throw createParameterError('document', 'The `document` parameter must be an id: 24 hex digits');
    }
    const client = await clients.find(clientId, { deadline: deadline(request) });
    if (client === undefined) throw new AppError('NOT_FOUND');
    if (id === undefined) return { client, collection };
    const context = { caller: createCaller(client), deadline: deadline(request) };
    return { client, collection, id, rights: await documents.rights(collection, id, context) };
  };
  const access: ResourceHandlers = {
    GET: async (request, reply) => {
      const question = await ask(request);
      const { client, collection, id, rights } = question;
      const needsRules = registry.keepsRuledRevisions(collection);
      const { hidden, closed } = createCaller(client).access(collection);
      const decisions = ACCESS_ACTIONS.map((action) => [action, decisionOf(question, action, needsRules)]);
      return sendJson(reply, {
        clientId: client.clientId,
        path: collection.path,
        ...(rights && { document: id, state: stateOf(rights) }),
        actions: Object.fromEntries(decisions),
        hidden: [...hidden],
        closed: [...closed],
        hooks: Object.keys(collection.settings.hooks ?? {}),
      });
    },
  };
  server.addHook('onRequest', requireAdmin);
  addResource(server, '/api/clients/:id/access', access, { operations: { GET: GET_CLIENT_ACCESS } });
}
