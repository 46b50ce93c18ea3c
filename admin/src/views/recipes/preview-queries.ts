// Asks the server what a recipe that is not saved makes of an original.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Api } from '../../api/api.ts';
import { useApi } from '../../api/api-context.tsx';
import { ApiError, parseErrorItems } from '../../api/api-error.ts';
import type { Json, JsonObject } from '../../api/types.ts';

export interface Rendered {
  readonly blob: Blob;
  /** Bytes of the original, where they are known. */
  readonly originalBytes: number | undefined;
}

/** What a recipe with `format: json` tells of an original. */
interface OriginalFacts {
  readonly width: number;
  readonly height: number;
  readonly format: string;
  readonly fileSize?: number;
}

/** As a browser asks for images: the server chooses among formats by it. */
const ACCEPT = 'image/avif,image/webp,image/png,image/*;q=0.8,*/*;q=0.5';

/** Pixels of the picture of the original beside the preview. */
const ORIGINAL_WIDTH = 800;

const errorOf = (answer: Response, text: string) => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(answer.status, parseErrorItems(body), {
    body,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    requestId: answer.headers.get('x-request-id') ?? undefined,
  });
};

async function render(api: Api, body: JsonObject, signal: AbortSignal): Promise<Rendered> {
  const answer = await api.raw('/api/recipes/preview', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: ACCEPT },
    signal,
  });
  if (!answer.ok) throw errorOf(answer, await answer.text());
  const size = answer.headers.get('x-original-size');
  return { blob: await answer.blob(), originalBytes: size === null ? undefined : Number(size) };
}

/** The original as the recipe makes it. The one before is shown until it is there. */
export function usePreview(original: string, { path, settings }: JsonObject) {
  const api = useApi();
  const recipe = { ...(path !== undefined && { path }), settings: settings ?? null };
  return useQuery({
    queryKey: ['preview', original, recipe],
    queryFn: ({ signal }) => render(api, { ...recipe, original }, signal),
    enabled: original !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
}

/** The original itself: a picture of it, and what it is. */
export function useOriginal(original: string, path: Json) {
  const api = useApi();
  const at = { original, ...(path !== null && { path }) };
  return useQuery({
    queryKey: ['original', at],
    queryFn: async ({ signal }) => {
      const told = await render(api, { ...at, settings: { format: 'json' } }, signal);
      const facts = JSON.parse(await told.blob.text()) as OriginalFacts;
      const shown = await render(api, { ...at, settings: { format: 'auto', width: ORIGINAL_WIDTH } }, signal);
      return { ...shown, facts };
    },
    enabled: original !== '',
    gcTime: 0,
    retry: false,
  });
}
