// What the server needs to know of a field type. The files beside this one answer it for each type.
import type { Json, JsonObject } from '../../../lib/json/json.ts';

export interface FieldIssue {
  readonly message: string;
  readonly code: string;
}

/** The issue of a value of another type, for every field type. */
export const WRONG_TYPE: FieldIssue = { message: 'is wrong type', code: 'ERROR_VALUE_INVALID' };

/** Keywords of JSON Schema for a text. */
export interface TextKeywords {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** What a field asks of its values, for their JSON Schema. */
export interface SchemaRules {
  /**
   * The values as they are stored and returned; as clients may send them for a new document; or for one that there is, where a value
   * in its stored form may be sent back, though it was another text by which the field judged it.
   */
  readonly form: 'stored' | 'created' | 'changed';
  /** What holds for each text: for a value that is one, and for those in a list. */
  readonly texts: TextKeywords;
  /** Neither null nor an empty text is a value. */
  readonly required: boolean;
  /** Schemas of what may stand in the place of an id, where ids refer to documents. */
  readonly documents: readonly JsonObject[];
}

/** The schema of texts that match a pattern of their type, and the keywords of their field. */
export function textOfForm(form: string, { pattern, ...lengths }: TextKeywords): JsonObject {
  const own = pattern === undefined ? {} : { allOf: [{ pattern }] };
  return { type: 'string', pattern: form, ...lengths, ...own };
}

export interface FieldTypeRules {
  /** Returns what is wrong with `value`, which is never null: null clears a field of any type. */
  check(value: Json): FieldIssue | undefined;
  /** What a value must be, for messages. */
  readonly valueForm: string;
  /** Returns the form in which a checked value is stored: the same value where nothing changes. */
  normalise(value: Json): Json;
  /**
   * The JSON Schema (2020-12) of the values that `check` accepts under such rules, or of their stored form. It may accept more, where
   * a schema cannot tell; never less. What is said of null is added to it, unless it accepts null itself.
   */
  schema(rules: SchemaRules): JsonObject;
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
