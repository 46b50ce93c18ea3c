// Bodies of a write without their sub-documents, validated as far as that needs no stored document.
import type { ErrorItem } from '../../errors/errors.ts';
import { startAllYielding } from '../../lib/async/yielding.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Collection } from '../model/collection.ts';
import type { Caller } from '../model/documents.ts';
import { BODY_ORIGIN, type WriteOrigin } from '../validation/issue-position.ts';
import { type ValidatedFields, validateFields, type WriteMode } from '../validation/validate-document.ts';
import { extractSubDocuments, type SubDocument, type SubDocumentQuota } from './extract-sub-documents.ts';
import type { WriteDeps } from './write-deps.ts';

type PrepareDeps = Pick<WriteDeps, 'registry' | 'matchPattern' | 'limits' | 'newId'>;

interface PrepareTarget {
  readonly collection: Collection;
  readonly mode: WriteMode;
  readonly caller: Caller;
}

export interface PreparedBody extends ValidatedFields {
  readonly origin: WriteOrigin;
  readonly subDocuments: readonly SubDocument[];
}

/** Prepares the body of an update. Throws NOT_PERMITTED and WRITE_TOO_LARGE; everything else is an issue. */
export function prepareBody(
  deps: PrepareDeps,
  target: PrepareTarget,
  body: JsonObject,
): Promise<PreparedBody> {
  return prepare(deps, { ...target, origin: BODY_ORIGIN, quota: { remaining: deps.limits.batch } }, body);
}

/** Prepares the documents of a create, which have one quota of sub-documents together. Throws as `prepareBody` does. */
export async function prepareBodies(
  deps: PrepareDeps,
  { isList, ...target }: PrepareTarget & { readonly isList: boolean },
  documents: readonly JsonObject[],
): Promise<readonly PreparedBody[]> {
  const quota = { remaining: deps.limits.batch };
  return startAllYielding(documents, (document, index) =>
    prepare(deps, { ...target, quota, origin: isList ? { prefix: '', index } : BODY_ORIGIN }, document),
  );
}

async function prepare(
  deps: PrepareDeps,
  {
    collection,
    mode,
    caller,
    origin,
    quota,
  }: PrepareTarget & { readonly origin: WriteOrigin; readonly quota: SubDocumentQuota },
  body: JsonObject,
): Promise<PreparedBody> {
  const { registry, limits, newId, matchPattern } = deps;
  const extracted = extractSubDocuments(collection, body, { registry, limits, newId, caller, origin, quota });
  const validated = await validateFields(collection, extracted.fields, { mode, origin, matchPattern });
  const { fields, undeclared } = validated;
  const issues = joinIssues(validated.issues, extracted.issues);
  return { fields, issues, undeclared, origin, subDocuments: extracted.subDocuments };
}

const joinIssues = (first: readonly ErrorItem[], second: readonly ErrorItem[]) =>
  second.length === 0 ? first : [...first, ...second];
