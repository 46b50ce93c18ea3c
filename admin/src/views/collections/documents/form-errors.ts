// The messages of the server for the fields of a document.
import { toApiError } from '../../../api/api-error.ts';
import { fieldErrors } from '../../../parts/error-message.tsx';
import type { Field } from '../fields/field.ts';

/** Fields beside which a message can be shown. */
export const shownFields = (fields: readonly Field[]): readonly string[] =>
  fields.filter(({ isInForms }) => isInForms).map(({ name }) => name);

interface Detailed {
  readonly field?: unknown;
  readonly details?: unknown;
}

/** The messages by field, each with what the server says further about it. */
export function fieldMessages(error: unknown): ReadonlyMap<string, string> {
  const messages = new Map(fieldErrors(error));
  if (error === null || error === undefined) return messages;
  const { body } = toApiError(error);
  const errors: unknown = typeof body === 'object' && body !== null && 'errors' in body ? body.errors : [];
  for (const { field, details } of Array.isArray(errors) ? (errors as readonly Detailed[]) : []) {
    if (typeof field !== 'string' || typeof details !== 'string') continue;
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
