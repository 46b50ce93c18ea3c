// What a new specification changes, in words: for the fields, the indexes, and what else the collection does.
import type { Json, JsonObject } from '../../../api/types.ts';
import { isJsonObject } from './check-text.ts';

export interface SpecificationChanges {
  /** One line each. */
  readonly lines: readonly string[];
  /** What would be missed: worth a question. */
  readonly losses: readonly string[];
  readonly removedFields: readonly string[];
  /** Fields that become required, or are new and so. */
  readonly requiredFields: readonly string[];
  readonly retypedFields: readonly string[];
}

const membersOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const isSame = (a: Json | undefined, b: Json | undefined) => JSON.stringify(a) === JSON.stringify(b);
const typeOf = (field: JsonObject) => (typeof field['type'] === 'string' ? field['type'] : 'String');
const shown = (value: Json | undefined) => (value === undefined ? 'not set' : JSON.stringify(value));

function indexesOf(settings: JsonObject): ReadonlyMap<string, string> {
  const { index } = settings;
  const list = Array.isArray(index) ? (index as readonly Json[]) : [index ?? null];
  return new Map(
    list.flatMap((entry) => {
      const { keys, options, enabled } = membersOf(entry);
      const named = Object.entries(membersOf(keys));
      if (named.length === 0 || enabled === false) return [];
      const names = named.map(([name, direction]) => (direction === -1 ? `${name} descending` : name));
      const { unique, sparse } = membersOf(options);
      const kind = [unique === true ? 'unique ' : '', sparse === true ? 'sparse ' : ''].join('');
      return [
        [JSON.stringify([named, unique === true, sparse === true]), `${kind}index on ${names.join(', ')}`],
      ];
    }),
  );
}

function retyped(name: string, before: JsonObject, after: JsonObject): readonly string[] {
  const lines: string[] = [];
  if (typeOf(before) !== typeOf(after)) {
    lines.push(
      `The field ${name} is ${typeOf(after)} instead of ${typeOf(before)}: documents keep their values, new values must be of the new type`,
    );
  }
  if (after['required'] === true && before['required'] !== true)
    lines.push(`The field ${name} becomes required`);
  if (before['required'] === true && after['required'] !== true)
    lines.push(`The field ${name} is no longer required`);
  const rest = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (part) => part !== 'type' && part !== 'required' && !isSame(before[part], after[part]),
  );
  if (rest.length > 0) lines.push(`The field ${name} has another ${rest.join(', ')}`);
  return lines;
}

const UNIQUE_NOTE = ': saving is refused while documents have the same value';

/** A field that goes and one that comes with the same definition may be meant as one: nothing is copied. */
function renamed(
  before: JsonObject,
  after: JsonObject,
  { added, removedFields }: { readonly added: readonly string[]; readonly removedFields: readonly string[] },
): readonly string[] {
  return removedFields.flatMap((old) => {
    const same = added.filter((name) => isSame(before[old], after[name]));
    return same.length === 1
      ? [`If ${same[0]} is to take the place of ${old}: values stay under ${old}, none is copied`]
      : [];
  });
}

export function describeChanges(before: Json, after: Json): SpecificationChanges {
  const [old, next] = [membersOf(before), membersOf(after)];
  const [oldFields, newFields] = [membersOf(old['fields']), membersOf(next['fields'])];
  const [oldSettings, newSettings] = [membersOf(old['settings']), membersOf(next['settings'])];
  const added = Object.keys(newFields).filter((name) => !Object.hasOwn(oldFields, name));
  const removedFields = Object.keys(oldFields).filter((name) => !Object.hasOwn(newFields, name));
  const kept = Object.keys(newFields).filter((name) => Object.hasOwn(oldFields, name));
  const isRequired = (fields: JsonObject, name: string) => membersOf(fields[name])['required'] === true;
  const [oldIndexes, newIndexes] = [indexesOf(oldSettings), indexesOf(newSettings)];
  const dropped = [...oldIndexes].filter(([key]) => !newIndexes.has(key)).map(([, text]) => text);
  const built = [...newIndexes].filter(([key]) => !oldIndexes.has(key)).map(([, text]) => text);
  const settings = [...new Set([...Object.keys(oldSettings), ...Object.keys(newSettings)])].filter(
    (name) => name !== 'index' && name !== 'lastModifiedAt' && !isSame(oldSettings[name], newSettings[name]),
  );
  const stopsRevisions = oldSettings['storeRevisions'] === true && newSettings['storeRevisions'] !== true;
  return {
    lines: [
      ...added.map((name) => `The field ${name} (${typeOf(membersOf(newFields[name]))}) is added`),
      ...removedFields.map((name) => `The field ${name} is removed: documents keep what they have in it`),
      ...kept.flatMap((name) => retyped(name, membersOf(oldFields[name]), membersOf(newFields[name]))),
      ...renamed(oldFields, newFields, { added, removedFields }),
      ...built.map((text) => `The ${text} is built${text.startsWith('unique ') ? UNIQUE_NOTE : ''}`),
      ...dropped.map((text) => `The ${text} is dropped`),
      ...settings.map(
        (name) => `The setting ${name} is ${shown(newSettings[name])} instead of ${shown(oldSettings[name])}`,
      ),
    ],
    losses: [
      ...removedFields.map(
        (name) => `the field ${name}: it cannot be written, filtered or sorted by any more`,
      ),
      ...dropped.map((text) => `the ${text}`),
      ...(stopsRevisions ? ['the keeping of revisions: later states of documents cannot be restored'] : []),
      ...(settings.includes('access') && newSettings['access'] === undefined ? ['the rules of access'] : []),
    ],
    removedFields,
    requiredFields: Object.keys(newFields).filter(
      (name) => isRequired(newFields, name) && !isRequired(oldFields, name),
    ),
    retypedFields: kept.filter(
      (name) => typeOf(membersOf(oldFields[name])) !== typeOf(membersOf(newFields[name])),
    ),
  };
}
