// What was written into the fields of a file, as the text that goes with its upload.
import type { FormFields } from '../../../parts/files/send-file.ts';
import { type Changes, defaultsOf, newBody } from './changes.ts';
import type { Field } from './field.ts';

/** Forms hold text: objects are sent as JSON, as the type of the field asks for it. */
export function formFields(fields: readonly Field[], changes: Changes): FormFields {
  const body = newBody(fields, changes, defaultsOf(fields));
  return fields.flatMap(({ name, type }) => {
    const value = body[name];
    if (value === undefined || value === null) return [];
    const isPlain = typeof value === 'string' && type !== 'Mixed' && type !== 'Object';
    return [[name, isPlain ? value : JSON.stringify(value)] as const];
  });
}
