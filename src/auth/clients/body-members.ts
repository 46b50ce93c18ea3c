// The members of what requests and commands say about a client, with errors that name the field.
import { AppError } from '../../errors/errors.ts';
import { isJsonObject } from '../../lib/json/json.ts';

/** Only an operator with access to the machine may give the right to approve. */
const MACHINE_ONLY = 'is given on the machine only: `cloister clients set <id> --reviewer`';
const MAX_QUOTED_LENGTH = 100;

/** BAD_REQUEST that names a field. */
export const badField = (field: string, message: string) => new AppError('BAD_REQUEST', { field, message });

/** The members of an object; `field` is '' for a whole body. Throws BAD_REQUEST that names a member which is not known. */
export function members(
  value: unknown,
  field: string,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) {
    throw field === ''
      ? new AppError('BAD_REQUEST', { message: 'must be a JSON object' })
      : badField(field, 'must be an object');
  }
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  if (Object.hasOwn(value, 'reviewer')) throw badField(at('reviewer'), MACHINE_ONLY);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw badField(at(unknown.slice(0, MAX_QUOTED_LENGTH)), `is unknown; known are ${known.join(', ')}`);
  }
  return value;
}
