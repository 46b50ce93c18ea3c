// Where in a request a document is, and how errors name that.
import type { ErrorItem } from '../../errors/errors.ts';

/** Where in a request a document is. */
export interface BodyPosition {
  /** Dotted path of the sub-document, ending in a dot; `''` for the document itself. */
  readonly prefix: string;
  /** Index in a list of documents. */
  readonly index?: number;
  /** Index among the extra writes of the caller, who understands their errors itself. */
  readonly extraWrite?: number;
}

/** The body itself, not part of a list. */
export const WHOLE_BODY: BodyPosition = { prefix: '' };

/** The member of an error item that names the document of a list. */
export function indexMember({ index }: BodyPosition): { readonly index?: number } {
  return index === undefined ? {} : { index };
}

/** The issues of a document with their position in the request. */
export function withPosition(issues: readonly ErrorItem[], position: BodyPosition): readonly ErrorItem[] {
  if (issues.length === 0 || (position.prefix === '' && position.index === undefined)) return issues;
  const { prefix } = position;
  return issues.map((issue) => {
    const field = issue.field === undefined ? prefix.slice(0, -1) : `${prefix}${issue.field}`;
    return { ...issue, ...indexMember(position), ...(field !== '' && { field }) };
  });
}
