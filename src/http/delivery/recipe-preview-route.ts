// `POST /api/recipes/preview`: an original as a recipe would deliver it that is not saved. A recipe may have that name.
import type { FastifyInstance } from 'fastify';
import type { DefinitionAdministration } from '../../delivery/definition-administration.ts';
import { jsonBody } from '../core/body-parsers.ts';
import { passThrough, sendJson } from '../core/reply.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { assertNotGone, createCloseSignal } from '../transport/close-signal.ts';
import { PREVIEW_RECIPE } from './definition-operations.ts';
import { deliveryErrorBody } from './delivery-error-handler.ts';

export const PREVIEW_NAME = 'preview';

interface RecipePreviewOptions {
  readonly definitions: () => Promise<DefinitionAdministration>;
  /** Those of the recipe of this name: described with all others. */
  readonly byName: ResourceHandlers;
  /** Bytes. */
  readonly bodyLimit: number;
}

/** Registers it, and the recipe of its name. */
export function recipePreviewRoute(
  server: FastifyInstance,
  { definitions, byName, bodyLimit }: RecipePreviewOptions,
): void {
  const POST: ResourceHandlers['POST'] = async (request, reply) => {
    const signal = createCloseSignal(reply);
    const { preview } = await definitions();
    const options = { accept: request.headers.accept ?? '', signal };
    const result = await preview(jsonBody(request), options).catch((error: unknown) => {
      assertNotGone(signal, error);
      throw error;
    });
    if (!result.ok) return sendJson(reply, deliveryErrorBody(result.errors.map((error) => ({ error }))), 400);
    return reply.serializer(passThrough).headers(result.headers).send(result.bytes);
  };
  addResource(
    server,
    `/api/recipes/${PREVIEW_NAME}`,
    { ...byName, POST },
    {
      operations: { GET: null, PUT: null, DELETE: null, POST: PREVIEW_RECIPE },
      bodyLimit,
      handlesPreconditions: true,
    },
  );
}
