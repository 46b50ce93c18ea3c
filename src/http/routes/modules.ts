// What admins do with posted code beside the code itself: policy, versions, log, suspension. Endpoints and hooks alike.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ModuleAddress, ModuleService } from '../../endpoints/modules.ts';
import { AppError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { bodyOf } from '../body.ts';
import { bodyLimit } from '../body-limits.ts';
import { numberParameter } from '../query-string.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';
import { createWaitText, mustReview } from '../review.ts';
import { actorOf, type ModuleDeps, sendPlainText, sendPosted, titleOf } from './module-code.ts';

const RECORDS_MOST = 1000;
const LIMIT = { fallback: RECORDS_MOST, what: 'a number of records' };
const AFTER = { fallback: 0, what: 'the `seq` of a record' };

interface ModulePlace {
  /** URL above the sub-resources. */
  readonly base: string;
  readonly addressOf: (request: FastifyRequest) => ModuleAddress;
}

type Act = (request: FastifyRequest, reply: FastifyReply, address: ModuleAddress) => unknown;

function versionOf(request: FastifyRequest, name: 'version' | 'other' = 'version'): number {
  const text = (request.params as Readonly<Record<string, string>>)[name] ?? '';
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new AppError('NOT_FOUND');
  return Number(text);
}

function sendDone(reply: FastifyReply, address: ModuleAddress, done: string): FastifyReply {
  return sendValue(reply, { result: 'success', message: `${titleOf(address)} ${done}` });
}

/** The newest version that waits for a reviewer; a policy that has to wait makes one. */
function newestPending({ code }: JsonObject): number {
  const { pending } = (code ?? {}) as { readonly pending?: readonly number[] };
  return pending?.at(-1) ?? 0;
}

interface VersionPlace {
  readonly base: string;
  readonly act: (act: Act) => Handler;
  readonly waitText: ReturnType<typeof createWaitText>;
}

function versionRoutes(
  server: FastifyInstance,
  modules: ModuleService,
  { base, act, waitText }: VersionPlace,
): void {
  resource(server, `${base}/versions`, {
    GET: act(async (_request, reply, address) =>
      sendValue(reply, { versions: await modules.versions(address) }),
    ),
  });
  resource(server, `${base}/versions/:version`, {
    GET: act(async (request, reply, address) =>
      sendPlainText(reply, await modules.versionSource(address, versionOf(request))),
    ),
  });
  resource(server, `${base}/versions/:version/policy`, {
    GET: act(async (request, reply, address) =>
      sendValue(reply, await modules.versionPolicy(address, versionOf(request))),
    ),
  });
  resource(server, `${base}/versions/:version/diff/:other`, {
    GET: act(async (request, reply, address) => {
      const diff = await modules.diff(address, versionOf(request), versionOf(request, 'other'));
      return sendPlainText(reply, diff);
    }),
  });
  resource(server, `${base}/versions/:version/rollback`, {
    POST: act(async (request, reply, address) => {
      const version = versionOf(request);
      const result = await modules.rollback(address, version, actorOf(request));
      const done = `rolled back to version ${version}`;
      return sendPosted(reply, address, { result, done: result.pending ? await waitText(request) : done });
    }),
  });
  resource(server, `${base}/versions/:version/approve`, {
    POST: act(async (request, reply, address) => {
      mustReview(request);
      const version = versionOf(request);
      await modules.approve(address, version, actorOf(request));
      return sendDone(reply, address, `version ${version} approved`);
    }),
  });
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Registers everything below a module but its code. Hooks of the scope have let nobody in but admins and reviewers. */
export function moduleRoutes(
  server: FastifyInstance,
  deps: Omit<ModuleDeps, 'sandboxEnabled'>,
  { base, addressOf }: ModulePlace,
): void {
  const { modules, config } = deps;
  const waitText = createWaitText(deps);
  const act =
    (perform: Act): Handler =>
    (request, reply) =>
      perform(request, reply, addressOf(request));

  // The versions of a module outlive it.
  versionRoutes(server, modules, { base, act, waitText });
  server.register(async (scope) => {
    scope.addHook('onRequest', (request, _reply, done) => {
      const known = modules.registry.get(addressOf(request)) !== undefined;
      done(known ? undefined : new AppError('NOT_FOUND'));
    });
    liveRoutes(scope, { modules, config }, { base, act, waitText });
  });
}

/** Policy, log and suspension, which only a module has that is there. */
function liveRoutes(
  server: FastifyInstance,
  { modules, config }: Pick<ModuleDeps, 'modules' | 'config'>,
  { base, act, waitText }: VersionPlace,
): void {
  const policy = {
    GET: act((_request, reply, address) => sendValue(reply, modules.policy(address))),
    PUT: act(async (request, reply, address) => {
      const before = newestPending(modules.policy(address));
      const policy = await modules.putPolicy(address, bodyOf(request), actorOf(request));
      if (newestPending(policy) === before) return sendValue(reply, policy);
      const message = `The policy ${await waitText(request)}`;
      return sendValue(reply, { ...policy, message }, 202);
    }),
  };
  const limit = bodyLimit('policy', config.limits.jsonBytes);
  resource(server, `${base}/policy`, policy, { bodyLimit: limit });
  resource(server, `${base}/logs`, {
    GET: act((request, reply, address) => {
      const limit = numberParameter(request.originalUrl, 'limit', LIMIT);
      const after = numberParameter(request.originalUrl, 'after', AFTER);
      return sendValue(reply, {
        logs: modules.logs(address, { limit: Math.min(limit, RECORDS_MOST), after }),
      });
    }),
  });
  resource(server, `${base}/suspend`, {
    POST: act(async (request, reply, address) => {
      await modules.suspend(address, actorOf(request));
      return sendDone(reply, address, 'suspended');
    }),
    DELETE: act(async (request, reply, address) => {
      await modules.resume(address, actorOf(request));
      return sendDone(reply, address, 'resumed');
    }),
  });
}
