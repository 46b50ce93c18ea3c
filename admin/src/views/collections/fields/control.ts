// What every control of a form is given.
import type { Json } from '../../../api/types.ts';
import type { Change } from './changes.ts';
import type { Field } from './field.ts';

export interface ControlProps {
  readonly field: Field;
  readonly value: Json | undefined;
  readonly change: Change | undefined;
  readonly error: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (change: Change) => void;
}

const exampleText = ({ example }: Field) =>
  example === undefined ? '' : `Example: ${typeof example === 'string' ? example : JSON.stringify(example)}`;

/** What is said about a field below its label. */
export const descriptionOf = (field: Field): string =>
  [field.comments, exampleText(field), field.isClosed ? 'You may not write this field.' : '']
    .filter((part) => part !== '')
    .join(' ');

/** What inputs of Mantine are given for any field. */
export const inputProps = ({ field, error, isReadOnly }: ControlProps) => ({
  label: field.label,
  description: descriptionOf(field) || undefined,
  // The server says what is missing; browsers do not stop a form for it.
  withAsterisk: field.isRequired,
  'aria-required': field.isRequired,
  error,
  readOnly: isReadOnly,
  className: 'wrap',
});
