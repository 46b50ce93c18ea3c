// What a field type has to know. One module beside this file does it for each type. Types only.
import type { Json } from '../../lib/json.ts';

export interface FieldProblem {
  readonly message: string;
  readonly code: string;
}

export interface FieldTypeRules {
  /** What is wrong with `value`, which is never null: null clears a field of any type. */
  check(value: Json): FieldProblem | undefined;
  /** The form in which a value that passed `check` is stored. Returns the same value where nothing changes. */
  normalise(value: Json): Json;
  /** An operand of a filter, brought to the form that documents hold. What cannot be brought there stays as it is. */
  coerceOperand(value: Json): Json;
  /** Plain text equality may ignore case on this type. */
  readonly foldable: boolean;
}
