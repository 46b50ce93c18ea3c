// The vocabulary in which the settings are declared: JSON Schema with a few annotations of ours. Types only.
import type { Json } from '../lib/json/json.ts';

interface Annotations {
  readonly description: string;
  /** What is in force when nobody sets the leaf. A leaf without one may stay unset. */
  readonly default?: Json;
  /** Further environment variables beside `CLOISTER_<BLOCK>_<KEY>`, the first that is set wins. */
  readonly env?: readonly string[];
  /** Never shown: `********` in answers, `[redacted]` in the log. */
  readonly secret?: true;
  /** Older or other names, as dotted paths from the root. */
  readonly aliases?: readonly string[];
  /** The environment or a flag may set it, a file may not. */
  readonly outsideFile?: true;
  /**
   * What `POST /api/config` may do with it: set any value, or one that is not above the value in force. Absent: nothing;
   * only the operator changes it.
   */
  readonly overHttp?: 'any' | 'lower';
}

interface TextSchema {
  readonly type: 'string';
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

interface NumberSchema {
  readonly type: 'integer' | 'number';
  readonly minimum?: number;
  readonly maximum?: number;
}

interface BooleanSchema {
  readonly type: 'boolean';
  readonly const?: boolean;
}

interface ListSchema {
  readonly type: 'array';
  readonly items: TextSchema;
  readonly maxItems?: number;
}

type Scalar = TextSchema | NumberSchema | BooleanSchema;

interface ChoiceSchema {
  readonly oneOf: readonly (Scalar | ListSchema)[];
  /** What the message says instead of JSON Schema's account of every alternative. */
  readonly expects: string;
}

/** One setting. */
export type SettingSchema = (Scalar | ListSchema | ChoiceSchema) & Annotations;

/** The shape of a value, without what is said about it. */
export type ValueSchema = Scalar | ListSchema;

/** Settings of one kind that the operator names: each member is a setting of its own, without a default. */
export interface SettingFamily {
  readonly type: 'object';
  readonly description: string;
  readonly propertyNames: { readonly pattern: string };
  /** The pattern of the names in words. */
  readonly named: string;
  readonly additionalProperties: SettingSchema;
}

/** Settings that belong together. */
export interface SettingGroup {
  readonly type: 'object';
  readonly description: string;
  /** The key that a bare boolean in place of the block stands for. */
  readonly shorthand?: string;
  readonly aliases?: readonly string[];
  readonly properties: Readonly<Record<string, SettingSchema | SettingFamily | SettingGroup>>;
}
