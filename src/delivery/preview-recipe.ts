// A recipe that is not saved, tried on an original: rendered as delivery would render it, and kept nowhere.

import { AppError } from '../errors/errors.ts';
import { findJsonIssue, isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import type { PreviewOptions, RecipePreview } from './definition-administration.ts';
import { type DeliverDeps, findOriginal } from './deliver.ts';
import type { VariantRequest } from './images/plan-variant.ts';
import type { UncachedVariant } from './images/variant-service.ts';
import { RECIPE_KIND } from './recipes/recipe.ts';
import { varyHeader } from './responses/cache-headers.ts';
import { isRasterImage } from './responses/content-types.ts';
import { encodeOriginalPath } from './sources/original-path.ts';

interface PreviewDeps {
  readonly deliver: DeliverDeps;
  readonly render: (request: VariantRequest) => Promise<UncachedVariant>;
}

/** What one answer lists. */
const MAX_ERRORS = 100;
const MAX_ORIGINAL_LENGTH = 4096;
/** Stands where a saved recipe has its name. */
const NAME = 'preview';

const ORIGINAL_RULE = `Property "original" must be the path of a file, a text of 1 to ${MAX_ORIGINAL_LENGTH} characters`;

const isOriginal = (value: Json | undefined): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ORIGINAL_LENGTH;

function readRecipe(document: JsonObject) {
  const issue = findJsonIssue(document);
  if (issue !== undefined) return { value: undefined, errors: [`${issue.path}: ${issue.message}`] };
  const { value, issues } = RECIPE_KIND.parse(document);
  return {
    value,
    errors: issues.filter(({ severity }) => severity === 'error').map(({ message }) => message),
  };
}

/** Makes the function that renders a preview: see `DefinitionAdministration`. */
export function createPreview({ deliver, render }: PreviewDeps) {
  // A stand-in would show another image than the one that is asked for.
  const sources = { ...deliver, fallback: async () => undefined, missingImageStatus: 404 };
  return async (body: Json, { accept, signal }: PreviewOptions): Promise<RecipePreview> => {
    if (!isJsonObject(body)) return { ok: false, errors: ['The recipe must be an object'] };
    const { original: path, ...document } = body;
    const { value, errors } = readRecipe(document);
    if (!isOriginal(path)) return { ok: false, errors: [ORIGINAL_RULE, ...errors].slice(0, MAX_ERRORS) };
    if (value === undefined || errors.length > 0) return { ok: false, errors: errors.slice(0, MAX_ERRORS) };
    const recipe = { ...value, name: NAME };
    const rest = encodeOriginalPath(path);
    const original = await findOriginal({ recipe, rest }, sources);
    if (recipe.kind !== 'image' || !isRasterImage(original.contentType)) {
      throw new AppError('IMAGE_INVALID', { message: 'There is nothing to render: delivered as it is' });
    }
    const { file: source, sourceId } = original;
    const query = new URLSearchParams();
    const rendered = await render({ recipe, source, sourceId, path: rest, accept, query, signal });
    const { bytes, contentType, vary } = rendered;
    return {
      ok: true,
      headers: {
        'Content-Type': contentType,
        'Content-Length': String(bytes.length),
        ...varyHeader(vary),
        'Cache-Control': 'no-store',
        ...(source.size !== undefined && { 'X-Original-Size': String(source.size) }),
      },
      bytes,
    };
  };
}
