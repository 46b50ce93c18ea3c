// The messages of the server for the fields of a document.
import { toApiError } from '../../../api/api-error.ts';
import { fieldErrors } from '../../../parts/error-message.tsx';
import type { Field } from '../fields/field.ts';

/** Fields beside which a message can be shown. */
export const shownFields = (fields: readonly Field[]): readonly string[] =>
  fields.filter(({ isInForms }) => isInForms).map(({ name }) => name);

/** In place of "must be unique", which does not say what is in the way. */
const NOT_UNIQUE = 'Another document has this value, which must be unique';

interface Detailed {
  readonly field?: unknown;
  readonly details?: unknown;
  readonly code?: unknown;
}

/** The messages by field, each with what the server says further about it. */
export function fieldMessages(error: unknown): ReadonlyMap<string, string> {
  const messages = new Map(fieldErrors(error));
  if (error === null || error === undefined) return messages;
  const { body } = toApiError(error);
  const errors: unknown = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : [];
  for (const { field, details, code } of Array.isArray(errors) ? (errors as readonly Detailed[]) : []) {
    if (typeof field !== 'string') continue;
    if (code === 'ERROR_UNIQUE') {
      messages.set(field, NOT_UNIQUE);
      continue;
    }
    if (typeof details !== 'string') continue;
    const message = messages.get(field);
    if (message !== undefined && message !== details) messages.set(field, `${message}: ${details}`);
  }
  return messages;
}

/** Puts the focus where something must be changed, once it is shown there. */
export function focusFirstError(form: HTMLElement): void {
  requestAnimationFrame(() => {
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  });
}
