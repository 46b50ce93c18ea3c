// What the server needs to know of a field type. One file beside this one answers it for each type.
import type { Json } from '../../../lib/json/json.ts';

export interface FieldIssue {
  readonly message: string;
  readonly code: string;
}

/** The issue of a value of another type, for every field type. */
export const WRONG_TYPE: FieldIssue = { message: 'is wrong type', code: 'ERROR_VALUE_INVALID' };

export interface FieldTypeRules {
  /** Returns what is wrong with `value`, which is never null: null clears a field of any type. */
  check(value: Json): FieldIssue | undefined;
  /** Returns the form in which a checked value is stored: the same value where nothing changes. */
  normalise(value: Json): Json;
  /** Converts an operand of a filter, which is never null, to the stored form; undefined for one that no value can equal. */
  readOperand(value: Json): Json | undefined;
  /** What an operand must be, for messages. */
  readonly operandForm: string;
  /** Plain text equality may ignore case on this type. */
  readonly supportsCaseInsensitive: boolean;
  /** Values are ids of documents: composition, filters and nested writes follow them. Absent: they are plain values. */
  readonly reference?: true;
  /** Values may be objects: dotted paths lead into them and compare exactly. Absent: such paths do not exist. */
  readonly nested?: true;
  /** Every JSON value is valid. */
  readonly acceptsAny?: true;
  /**
   * How a text field of an upload form becomes a value: by a function, which returns undefined for text of another type;
   * as JSON; or as JSON where the text is a list and as it is otherwise. Absent: the text is the value.
   */
  readonly formText?: ((text: string) => Json | undefined) | 'json' | 'json-list';
}
