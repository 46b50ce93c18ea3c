// The code of endpoints and hooks: posted, read and removed as text by admins.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import type { ModuleAddress, PostResult } from '../../modules/model/module-types.ts';
import { acceptCodeBodiesOnly } from '../core/body-parsers.ts';
import { assertExpectedState, sendEntityTag } from '../core/entity-tags.ts';
import type { CustomCodeDeps } from '../core/http-deps.ts';
import { sendJson, sendText } from '../core/reply.ts';
import { actorOf } from '../core/request-context.ts';
import { addResource } from '../core/resource.ts';
import type { ModuleOperations } from './module-operations.ts';
import { createApprovalNotice, type ReviewerAccessDeps } from './reviewer-access.ts';

export type ModuleRoutesDeps = Pick<CustomCodeDeps, 'modules' | 'usage' | 'sandboxEnabled'> &
  ReviewerAccessDeps;

const TEXT_TYPE = 'text/plain; charset=utf-8';

/** The name of a module in messages: `Endpoint "1.0:report"`, `Hook "slugify"`. */
export function moduleTitle(address: ModuleAddress): string {
  return address.kind === 'hook'
    ? `Hook "${address.name}"`
    : `Endpoint "${address.apiVersion}:${address.name}"`;
}

/** Sends plain text. */
export function sendPlainText(reply: FastifyReply, text: string): FastifyReply {
  return sendText(reply, TEXT_TYPE, text);
}

/** Sends the result of a change of code: 200, or 202 for a pending version. `done`: the end of the message. */
export function sendPostResult(
  reply: FastifyReply,
  address: ModuleAddress,
  { result, done }: { readonly result: PostResult; readonly done: string },
): FastifyReply {
  const { version, pending, warnings, suggestedIsolation } = result;
  const message = `${moduleTitle(address)} ${done}`;
  const suggestion = suggestedIsolation === null ? {} : { suggestedIsolation };
  const body = { result: 'success', message, version, warnings, ...suggestion };
  return sendJson(reply, body, pending ? 202 : 200);
}

/** Makes the check of the preconditions of a change: where no version is in force, there is no state. */
const expectedSource = (request: FastifyRequest) => (source: string | undefined) =>
  assertExpectedState(request, source === undefined ? undefined : { source });

interface CodeRouteOptions {
  readonly url: string;
  readonly addressOf: (request: FastifyRequest) => ModuleAddress;
  /** Hooks are created by POST and replaced by PUT; endpoints both by POST. */
  readonly puts: boolean;
  /** Null: the path is described elsewhere. */
  readonly operations: ModuleOperations | null;
}

/** Registers the path of the code of a module. */
export function moduleCodeRoutes(
  server: FastifyInstance,
  deps: ModuleRoutesDeps,
  { url, addressOf, puts, operations }: CodeRouteOptions,
): void {
  const { modules, sandboxEnabled, config } = deps;
  const approvalNotice = createApprovalNotice(deps);
  acceptCodeBodiesOnly(server);
  const post = (replace?: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
    if (!sandboxEnabled) throw new AppError('SANDBOX_DISABLED', { retryAfter: 2 });
    const address = addressOf(request);
    const source = typeof request.body === 'string' ? request.body : '';
    const options = { replace, check: expectedSource(request) };
    const result = await modules.postCode(address, source, actorOf(request), options);
    const done = result.created ? 'created' : 'updated';
    return sendPostResult(reply, address, {
      result,
      done: result.pending ? await approvalNotice(request) : done,
    });
  };
  const bodyLimit = config.limits.endpointCodeBytes;
  addResource(
    server,
    url,
    {
      GET: async (request, reply) => {
        const source = modules.source(addressOf(request));
        return sendPlainText(sendEntityTag(reply, { source }), source);
      },
      POST: post(puts ? false : undefined),
      ...(puts ? { PUT: post(true) } : {}),
      DELETE: async (request, reply) => {
        const address = addressOf(request);
        await modules.remove(address, actorOf(request), expectedSource(request));
        return sendJson(reply, { result: 'success', message: `${moduleTitle(address)} removed` });
      },
    },
    {
      bodyLimit,
      handlesPreconditions: true,
      operations: {
        GET: operations?.source ?? null,
        POST: operations?.post ?? null,
        PUT: operations?.put ?? null,
        DELETE: operations?.remove ?? null,
      },
    },
  );
}
