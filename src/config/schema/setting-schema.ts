// Types of the schema that declares the settings: JSON Schema with a few annotations.
import type { Json } from '../../lib/json/json.ts';

interface Annotations {
  readonly description: string;
  /** The value if the setting is not set. A setting without a default may stay unset. */
  readonly default?: Json;
  /** Further environment variables beside `CLOISTER_<BLOCK>_<KEY>`, the first that is set wins. */
  readonly env?: readonly string[];
  /** Never shown: `********` in responses, `[redacted]` in the log. */
  readonly secret?: true;
  /** Older or other names, as dotted paths from the root. */
  readonly aliases?: readonly string[];
  /** The environment or a flag may set it, a file may not. */
  readonly outsideFile?: true;
  /**
   * How `POST /api/config` may change it: to any value, or to one that is not above the current value. Absent: not at all;
   * only the operator changes it.
   */
  readonly overHttp?: 'any' | 'lower';
  /** A total of the machine, of which each of `server.workers` processes has its part. Only of numbers. */
  readonly dividedAmongWorkers?: true;
  /** What a number counts, where it is no plain number: the tables of limits say it. */
  readonly unit?: SettingUnit;
}

export type SettingUnit = 'bytes' | 'MB' | 'ms' | 's';

export interface TextSchema {
  readonly type: 'string';
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

export interface NumberSchema {
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
  readonly items: TextSchema | ItemSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** An object in a list. */
export interface ItemSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, TextSchema | ChoiceSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

type Scalar = TextSchema | NumberSchema | BooleanSchema;

interface ChoiceSchema {
  readonly oneOf: readonly (Scalar | ListSchema)[];
  /** Replaces the messages about every alternative. */
  readonly expects: string;
}

/** One setting. */
export type SettingSchema = (Scalar | ListSchema | ChoiceSchema) & Annotations;

/** The schema of a value without annotations. */
export type ValueSchema = Scalar | ListSchema;

/** Settings with names that the operator chooses: each member is a setting without a default. */
export interface SettingMap {
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
  /** The key that a bare boolean in place of the group stands for. */
  readonly shorthand?: string;
  readonly aliases?: readonly string[];
  readonly properties: Readonly<Record<string, SettingNode>>;
}

/** A member of a group. */
export type SettingNode = SettingSchema | SettingMap | SettingGroup;

export function isSettingGroup(node: SettingNode): node is SettingGroup {
  return 'properties' in node;
}

export function isSettingMap(node: SettingNode): node is SettingMap {
  return 'additionalProperties' in node;
}
