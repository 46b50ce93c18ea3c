// Administration of endpoints and hooks apart from their code: policy, versions, log, suspension.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { type ModuleAddress, type ModuleService, moduleKey } from '../../modules/model/module-types.ts';
import { bodyLimit, jsonBody, jsonObjectBody } from '../core/body-parsers.ts';
import { assertExpectedState, sendEntityTag } from '../core/entity-tags.ts';
import type { Operation } from '../core/operation.ts';
import { sendJson } from '../core/reply.ts';
import { actorOf } from '../core/request-context.ts';
import { parseNumberParameter } from '../core/request-url.ts';
import { addResource } from '../core/resource.ts';
import { type ModuleRoutesDeps, moduleTitle, sendPlainText, sendPostResult } from './module-code-routes.ts';
import type { ModuleOperations } from './module-operations.ts';
import { MAX_REASON_CHARACTERS } from './review-schemas.ts';
import { assertReviewer, createApprovalNotice } from './reviewer-access.ts';

const MAX_RECORDS = 1000;
const MAX_QUOTED_CHARACTERS = 100;
const LIMIT = { fallback: MAX_RECORDS, what: 'a number of records' };
const AFTER = { fallback: 0, what: 'the `seq` of a record' };

interface ModuleRouteOptions {
  /** URL above the sub-resources. */
  readonly base: string;
  readonly addressOf: (request: FastifyRequest) => ModuleAddress;
  readonly operations: ModuleOperations;
}

type ModuleAction = (request: FastifyRequest, reply: FastifyReply, address: ModuleAddress) => unknown;

function parseVersion(request: FastifyRequest, name: 'version' | 'other' = 'version'): number {
  const text = (request.params as Readonly<Record<string, string>>)[name] ?? '';
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new AppError('NOT_FOUND');
  return Number(text);
}

function sendDone(reply: FastifyReply, address: ModuleAddress, done: string): FastifyReply {
  return sendJson(reply, { result: 'success', message: `${moduleTitle(address)} ${done}` });
}

/** The reason of a refusal, without space at its ends. Throws BAD_REQUEST. */
function parseReason(body: JsonObject): string {
  const unknown = Object.keys(body).find((name) => name !== 'reason');
  if (unknown !== undefined) {
    const field = unknown.slice(0, MAX_QUOTED_CHARACTERS);
    throw new AppError('BAD_REQUEST', { field, message: 'is unknown; known is reason' });
  }
  const reason = typeof body['reason'] === 'string' ? body['reason'].trim() : '';
  if (reason !== '' && [...reason].length <= MAX_REASON_CHARACTERS) return reason;
  const message = 'must be a text for the author, of 1 to 1,000 characters that are not all space';
  throw new AppError('BAD_REQUEST', { field: 'reason', message });
}

/** What was put: its tag stays when code is posted or approved. */
const putPart = ({ code: _, ...policy }: JsonObject): JsonObject => policy;

/** The newest pending version; a policy that needs review creates one. */
function newestPendingVersion({ code }: JsonObject): number {
  const { pending } = (code ?? {}) as { readonly pending?: readonly number[] };
  return pending?.at(-1) ?? 0;
}

interface VersionRouteOptions {
  readonly base: string;
  readonly act: (act: ModuleAction) => Handler;
  readonly approvalNotice: ReturnType<typeof createApprovalNotice>;
  readonly operations: ModuleOperations;
}

function versionRoutes(
  server: FastifyInstance,
  modules: ModuleService,
  { base, act, approvalNotice, operations }: VersionRouteOptions,
): void {
  const rollback = act(async (request, reply, address) => {
    const version = parseVersion(request);
    const result = await modules.rollback(address, version, actorOf(request));
    const done = `rolled back to version ${version}`;
    return sendPostResult(reply, address, {
      result,
      done: result.pending ? await approvalNotice(request) : done,
    });
  });
  const approve = act(async (request, reply, address) => {
    assertReviewer(request, 'approves');
    const version = parseVersion(request);
    await modules.approve(address, version, actorOf(request));
    return sendDone(reply, address, `version ${version} approved`);
  });
  const reject = act(async (request, reply, address) => {
    assertReviewer(request, 'refuses');
    const version = parseVersion(request);
    const reason = parseReason(jsonObjectBody(request));
    await modules.reject(address, version, { actor: actorOf(request), reason });
    return sendDone(reply, address, `version ${version} refused`);
  });
  const addRead = (below: string, operation: Operation, handler: ModuleAction) =>
    addResource(
      server,
      `${base}/versions${below}`,
      { GET: act(handler) },
      { operations: { GET: operation } },
    );
  addRead('', operations.versions, async (_request, reply, address) =>
    sendJson(reply, { versions: await modules.versions(address) }),
  );
  addRead('/:version', operations.versionSource, async (request, reply, address) =>
    sendPlainText(reply, await modules.versionSource(address, parseVersion(request))),
  );
  addRead('/:version/policy', operations.versionPolicy, async (request, reply, address) =>
    sendJson(reply, await modules.versionPolicy(address, parseVersion(request))),
  );
  addRead('/:version/diff/:other', operations.diff, async (request, reply, address) => {
    const diff = await modules.diff(address, parseVersion(request), parseVersion(request, 'other'));
    return sendPlainText(reply, diff);
  });
  const addAction = (name: string, operation: Operation, POST: Handler) =>
    addResource(server, `${base}/versions/:version/${name}`, { POST }, { operations: { POST: operation } });
  addAction('rollback', operations.rollback, rollback);
  addAction('approve', operations.approve, approve);
  addAction('refuse', operations.refuse, reject);
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Registers everything below a module but its code. Guards of the scope have rejected everybody but admins and reviewers. */
export function moduleRoutes(
  server: FastifyInstance,
  deps: Omit<ModuleRoutesDeps, 'sandboxEnabled'>,
  { base, addressOf, operations }: ModuleRouteOptions,
): void {
  const { modules, usage, config } = deps;
  const approvalNotice = createApprovalNotice(deps);
  const act =
    (perform: ModuleAction): Handler =>
    (request, reply) =>
      perform(request, reply, addressOf(request));

  // The versions of a removed module can still be read.
  versionRoutes(server, modules, { base, act, approvalNotice, operations });
  server.register(async (scope) => {
    scope.addHook('onRequest', (request, _reply, done) => {
      const known = modules.registry.get(addressOf(request)) !== undefined;
      done(known ? undefined : new AppError('NOT_FOUND'));
    });
    liveRoutes(scope, { modules, usage, config }, { base, act, approvalNotice, operations });
  });
}

/** Policy, log, usage and suspension of an existing module. */
function liveRoutes(
  server: FastifyInstance,
  { modules, usage, config }: Pick<ModuleRoutesDeps, 'modules' | 'usage' | 'config'>,
  { base, act, approvalNotice, operations }: VersionRouteOptions,
): void {
  const policy = {
    GET: act((_request, reply, address) => {
      const policy = modules.policy(address);
      return sendJson(sendEntityTag(reply, putPart(policy)), policy);
    }),
    PUT: act(async (request, reply, address) => {
      const before = newestPendingVersion(modules.policy(address));
      const check = (present: JsonObject | undefined) =>
        assertExpectedState(request, present && putPart(present));
      const policy = await modules.putPolicy(address, jsonBody(request), actorOf(request), check);
      // Meanwhile others may have been decided on: then there are fewer.
      if (newestPendingVersion(policy) <= before) return sendJson(reply, policy);
      const message = `The policy ${await approvalNotice(request)}`;
      return sendJson(reply, { ...policy, message }, 202);
    }),
  };
  const logs = act((request, reply, address) => {
    const limit = parseNumberParameter(request.originalUrl, 'limit', LIMIT);
    const after = parseNumberParameter(request.originalUrl, 'after', AFTER);
    return sendJson(reply, { logs: modules.logs(address, { limit: Math.min(limit, MAX_RECORDS), after }) });
  });
  const suspension = {
    POST: act(async (request, reply, address) => {
      await modules.suspend(address, actorOf(request));
      return sendDone(reply, address, 'suspended');
    }),
    DELETE: act(async (request, reply, address) => {
      await modules.resume(address, actorOf(request));
      return sendDone(reply, address, 'resumed');
    }),
  };
  addResource(server, `${base}/policy`, policy, {
    operations: { GET: operations.policy, PUT: operations.putPolicy },
    bodyLimit: bodyLimit('policy', config.limits.jsonBytes),
    handlesPreconditions: true,
  });
  addResource(server, `${base}/logs`, { GET: logs }, { operations: { GET: operations.logs } });
  addResource(
    server,
    `${base}/usage`,
    { GET: act((_request, reply, address) => sendJson(reply, usage(moduleKey(address)))) },
    { operations: { GET: operations.usage } },
  );
  addResource(server, `${base}/suspend`, suspension, {
    operations: { POST: operations.suspend, DELETE: operations.resume },
  });
}
