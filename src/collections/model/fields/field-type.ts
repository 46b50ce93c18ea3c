// What a field type has to know. One module beside this file does it for each type. Types only.
import type { Json } from '../../../lib/json/json.ts';

export interface FieldIssue {
  readonly message: string;
  readonly code: string;
}

export interface FieldTypeRules {
  /** What is wrong with `value`, which is never null: null clears a field of any type. */
  check(value: Json): FieldIssue | undefined;
  /** The form in which a value that passed `check` is stored. Returns the same value where nothing changes. */
  normalise(value: Json): Json;
  /** An operand of a filter, brought to the form that documents hold. What cannot be brought there stays as it is. */
  coerceOperand(value: Json): Json;
  /** What is wrong with an operand that no stored value can be compared with. Absent: every operand will do. */
  checkOperand?(value: Json): FieldIssue | undefined;
  /** Plain text equality may ignore case on this type. */
  readonly supportsCaseInsensitive: boolean;
}
