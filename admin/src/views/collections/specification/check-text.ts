// Finds what is wrong with a specification while it is written, and puts what the server says at its line.
import type { ErrorItem } from '../../../api/api-error.ts';
import type { Json, JsonObject } from '../../../api/types.ts';
import type { Problem } from '../../../parts/code/code-editor.tsx';
import { FIELD_TYPES } from '../fields/field.ts';
import { memberPlaces, parseJson } from '../fields/json-text.ts';
import { FIELD_NAMES, type Names, SETTING_NAMES } from './known-names.ts';

type Report = (path: string, message: string, severity?: Problem['severity']) => void;

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Older names, which are read too. */
const OLDER_TYPES = ['Array', 'Date'];

function checkNames(given: JsonObject, known: Names, path: string, report: Report): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    report(`${path}.${name}`, `The server knows no "${name}" here: it is kept without effect`, 'warning');
  }
}

/** What is wrong with the name of a field, as far as the server need not be asked. */
export const fieldNameIssue = (name: string): string | undefined =>
  /^\$|\.|^$|^__proto__$/.test(name)
    ? 'The name of a field is not empty, has no dot, and does not begin with $'
    : undefined;

function checkField(name: string, field: Json | undefined, report: Report): void {
  const path = `fields.${name}`;
  const nameIssue = fieldNameIssue(name);
  if (nameIssue !== undefined) report(path, nameIssue);
  if (!isJsonObject(field)) {
    report(path, 'A field is an object, such as {"type": "String"}');
    return;
  }
  const { type, settings } = field;
  const types: readonly string[] = [...FIELD_TYPES, ...OLDER_TYPES];
  if (type !== undefined && !(typeof type === 'string' && types.includes(type))) {
    report(`${path}.type`, `This is no type: use ${FIELD_TYPES.join(', ')}`);
  }
  if (settings !== undefined && settings !== null && !isJsonObject(settings)) {
    report(`${path}.settings`, 'The settings of a field are an object');
  }
  checkNames(field, FIELD_NAMES, path, report);
}

function checkSpecification(given: Json, report: Report): void {
  if (!isJsonObject(given)) {
    report('', 'A specification is an object with "fields" and "settings"');
    return;
  }
  const { fields, settings } = given;
  if (!isJsonObject(fields)) report('fields', 'A specification has "fields", an object');
  else for (const [name, field] of Object.entries(fields)) checkField(name, field, report);
  if (!isJsonObject(settings)) {
    report('settings', 'A specification has "settings", an object');
    return;
  }
  const { sort } = settings;
  if (typeof sort === 'string' && isJsonObject(fields) && !/^_|At$|By$|^v$/.test(sort)) {
    if (!Object.hasOwn(fields, sort)) report('settings.sort', `There is no field "${sort}"`, 'warning');
  }
  checkNames(settings, SETTING_NAMES, 'settings', report);
}

/** The line of a member, or of the nearest one around it that is there. */
function placeFor(text: string, path: string) {
  const places = memberPlaces(text);
  for (let rest = path; rest !== ''; rest = rest.includes('.') ? rest.slice(0, rest.lastIndexOf('.')) : '') {
    const place = places.get(rest);
    if (place !== undefined) return place;
  }
  return { line: 1, column: undefined };
}

export function checkText(text: string): readonly Problem[] {
  const result = parseJson(text);
  if ('problem' in result) return [result.problem];
  const found: Problem[] = [];
  checkSpecification(result.value, (path, message, severity = 'error') =>
    found.push({ ...placeFor(text, path), message, severity }),
  );
  return found;
}

/** The errors of the server at their lines. It names a field or a setting without the path. */
export function placeErrors(text: string, items: readonly ErrorItem[]): readonly Problem[] {
  if ('problem' in parseJson(text)) return [];
  const places = memberPlaces(text);
  return items.flatMap(({ field, message }) => {
    if (field === undefined) return [];
    const path = [`fields.${field}`, `settings.${field}`, field].find((known) => places.has(known));
    return path === undefined ? [] : [{ ...placeFor(text, path), message, severity: 'error' as const }];
  });
}
