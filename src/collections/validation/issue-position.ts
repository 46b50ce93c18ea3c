// Position of an issue in a request: index in the batch, path of the sub-document.
import type { ErrorItem } from '../../errors/errors.ts';

/** Where in a request a write comes from. */
export interface WriteOrigin {
  /** Dotted path of the sub-document, ending in a dot; `''` for the document itself. */
  readonly prefix: string;
  /** Position in a batch. */
  readonly index?: number;
  /** Position among the extra writes of the caller, who understands their errors itself. */
  readonly extraWrite?: number;
}

/** The body itself, not part of a batch. */
export const BODY_ORIGIN: WriteOrigin = { prefix: '' };

/** The member of an error item that names the document of a batch. */
export function indexMember({ index }: WriteOrigin): { readonly index?: number } {
  return index === undefined ? {} : { index };
}

/** The issues of a document with their position in the request. */
export function withPosition(issues: readonly ErrorItem[], origin: WriteOrigin): readonly ErrorItem[] {
  if (issues.length === 0 || (origin.prefix === '' && origin.index === undefined)) return issues;
  return issues.map((issue) => ({
    ...issue,
    ...indexMember(origin),
    field: `${origin.prefix}${issue.field ?? ''}`,
  }));
}
