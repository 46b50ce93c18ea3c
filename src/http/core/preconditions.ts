// Parses `If-Match` and `If-None-Match` of writes of one document. Other writes reject them, since clients rely on them.
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';

const HEADER_NAMES = { 'if-match': 'If-Match', 'if-none-match': 'If-None-Match' } as const;
type Header = keyof typeof HEADER_NAMES;

/** True for a `v` with which the write may proceed; undefined: there is no document. */
export type Precondition = (v: number | undefined) => boolean;

/** One member of the list: an entity tag, or a bare number; up to the next comma. */
const MEMBER = /\s*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"|\d{1,15})\s*(?:,|$)/y;
/** ETags of a document begin with its `v`. */
const NUMBERED = /^(?:W\/)?"?(\d{1,15})(?:-[\w-]*)?"?$/;

function preconditionError(name: Header, message: string): AppError {
  return new AppError('BAD_REQUEST', { message, field: HEADER_NAMES[name] });
}

/**
 * The states that a header names: `*` names all, a number or an ETag of the document names one, any other ETag none. Undefined
 * without the header.
 */
function parseStates(name: Header, { headers }: Pick<FastifyRequest, 'headers'>): Precondition | undefined {
  const header = headers[name];
  if (header === undefined) return undefined;
  if (header.trim() === '*') return (v) => v !== undefined;
  const states = new Set<number>();
  MEMBER.lastIndex = 0;
  do {
    const tag = MEMBER.exec(header)?.[1];
    if (tag === undefined) {
      throw preconditionError(
        name,
        `\`${HEADER_NAMES[name]}\` must be \`*\`, a number, or entity tags in quotes`,
      );
    }
    const digits = NUMBERED.exec(tag)?.[1];
    if (digits !== undefined) states.add(Number(digits));
  } while (MEMBER.lastIndex < header.length);
  return (v) => v !== undefined && states.has(v);
}

/** The precondition of both headers on the `v` of a document; undefined without them. Throws BAD_REQUEST. */
export function parsePreconditions(request: Pick<FastifyRequest, 'headers'>): Precondition | undefined {
  const ifMatch = parseStates('if-match', request);
  const ifNoneMatch = parseStates('if-none-match', request);
  if (ifNoneMatch === undefined) return ifMatch;
  return (v) => ifMatch?.(v) !== false && !ifNoneMatch(v);
}

/** Throws BAD_REQUEST if the request has one of the headers: for writes to which they cannot apply. */
export function rejectPreconditions(
  { headers }: Pick<FastifyRequest, 'headers'>,
  names: readonly Header[] = ['if-match', 'if-none-match'],
): void {
  const name = names.find((header) => headers[header] !== undefined);
  if (name !== undefined) {
    throw preconditionError(
      name,
      `\`${HEADER_NAMES[name]}\` is for writes of one document by its id: it cannot hold here`,
    );
  }
}
