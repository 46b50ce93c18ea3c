// Lists of names that the page has as the server has them.
import { describe, expect, it } from 'vitest';
import {
  ISOLATIONS,
  LIMITS,
  METHODS,
  MODEL_ACTIONS,
} from '../../../admin/src/parts/modules/policy/policy.ts';
import { FIELD_TYPES } from '../../../admin/src/views/collections/fields/field.ts';
import { INTERNAL_FIELDS, REVISION_MEMBERS } from '../../../admin/src/views/collections/internal-fields.ts';
import {
  FIELD_NAMES,
  SETTING_NAMES,
} from '../../../admin/src/views/collections/specification/known-names.ts';
import { DEVICES } from '../../../admin/src/views/routes/branch.ts';
import { INTERNAL_FIELDS as SERVER_FIELDS } from '../../../src/collections/model/collection.ts';
import { FIELD_TYPES as SERVER_TYPES } from '../../../src/collections/model/fields/field-types.ts';
import {
  HIDDEN_REVISION_MEMBERS,
  REVISION_MEMBERS as SERVER_MEMBERS,
} from '../../../src/collections/model/stored-document.ts';
import { FIELD_ATTRIBUTES, FIELD_DESCRIPTIONS } from '../../../src/collections/specifications/parse-field.ts';
import { KNOWN_SETTINGS } from '../../../src/collections/specifications/parse-settings.ts';
import { DEVICES as SERVER_DEVICES } from '../../../src/delivery/model/visitor-facts.ts';
import { POLICY_SCHEMA } from '../../../src/modules/policy/policy-schema.ts';

interface Schema {
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** The schema at a path of members; a list stands for its items. */
const policyAt = (...names: readonly string[]): Schema =>
  names.reduce<Schema>((at, name) => (at.items ?? at).properties?.[name] ?? {}, POLICY_SCHEMA as Schema);

const LISTS: Readonly<Record<string, readonly [page: Iterable<string>, server: Iterable<string>]>> = {
  'fields of every document': [INTERNAL_FIELDS, SERVER_FIELDS],
  'members of revisions': [
    REVISION_MEMBERS,
    SERVER_MEMBERS.filter((name) => !HIDDEN_REVISION_MEMBERS.includes(name)),
  ],
  'types of fields': [FIELD_TYPES, Object.keys(SERVER_TYPES)],
  'attributes of fields': [Object.keys(FIELD_NAMES), [...FIELD_ATTRIBUTES, ...FIELD_DESCRIPTIONS]],
  'settings of collections': [Object.keys(SETTING_NAMES), KNOWN_SETTINGS],
  'kinds of devices': [DEVICES, SERVER_DEVICES],
  'isolations of policies': [ISOLATIONS, policyAt('isolation').enum ?? []],
  'limits of policies': [LIMITS, Object.keys(policyAt('limits').properties ?? {})],
  'actions of policies': [MODEL_ACTIONS, policyAt('grants', 'collections', 'actions').items?.enum ?? []],
  'methods of policies': [METHODS, policyAt('grants', 'fetch', 'methods').items?.enum ?? []],
};

describe('the admin page knows, as the server does,', () => {
  it.each(Object.entries(LISTS))('the %s', (_name, [page, server]) => {
    expect([...page].toSorted()).toEqual([...server].toSorted());
  });
});
