// Which errors an operation can answer with: what follows from its method, path, parameters and body, and what it says itself.

import type { HttpMethod } from '../../lib/http/methods.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { OperationText } from '../core/operation.ts';

/** What else decides about errors. */
export interface ErrorPlace {
  readonly method: HttpMethod;
  readonly path: string;
  readonly isOfCollection: boolean;
  /** Hooks of the collection refuse with any status from 400 to 499. */
  readonly isHooked: boolean;
}

const declares = ({ parameters = [] }: OperationText, header: string) =>
  parameters.some((one) => one.in === 'header' && one.name === header);

/** The statuses from 400 to 499, ascending. Others are `5XX`. */
export function errorStatuses(
  text: OperationText,
  { method, path, isOfCollection }: Omit<ErrorPlace, 'isHooked'>,
): readonly number[] {
  const hasName = path.includes('{');
  const isForm = text.body?.content['multipart/form-data'] !== undefined;
  const statuses = [
    // The query string does not decode, or is too long.
    ...[400, 414],
    ...(text.ignoresToken === true ? [] : [401]),
    // Rules of the collection decide.
    ...(isOfCollection ? [403] : []),
    ...(isOfCollection || hasName ? [404] : []),
    // In the place of a name may stand what is another path: of one that has not the method.
    ...(hasName ? [405] : []),
    // The body of a write is looked at, also where none is expected.
    ...(method === 'GET' ? [] : [413, 415]),
    // A form that stops to arrive.
    ...(isForm ? [408] : []),
    // The documents have been changed meanwhile.
    ...(isOfCollection && method !== 'GET' ? [409] : []),
    ...(declares(text, 'If-Match') ? [412] : []),
    ...(declares(text, 'Range') ? [416] : []),
    ...(text.refusals ?? []),
  ];
  return [...new Set(statuses)].toSorted((one, other) => one - other);
}

/** The same answer for each of those statuses, and for what is wrong with the server. */
export function errorAnswers(text: OperationText, place: ErrorPlace, answer: JsonObject): JsonObject {
  const statuses: readonly (number | string)[] = [
    ...errorStatuses(text, place),
    ...(place.isHooked ? ['4XX'] : []),
    '5XX',
  ];
  return Object.fromEntries(statuses.map((status) => [String(status), answer]));
}
