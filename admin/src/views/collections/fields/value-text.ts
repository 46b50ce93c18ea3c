// Values of documents as text, for lists, options and headings.
import type { Json, JsonObject } from '../../../api/types.ts';
import { INTERNAL_FIELDS } from '../internal-fields.ts';
import { type Field, memberOf } from './field.ts';

/** Characters of one value in a list. */
const MAX_TEXT = 120;

const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const shortened = (text: string): string => {
  const characters = [...text.slice(0, 2 * MAX_TEXT)];
  return characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT).join('')} …` : text;
};

/** Names a document that composition put in the place of its id: its first text. */
function nameOfDocument(document: JsonObject): string {
  const named = Object.entries(document).find(
    ([name, value]) => !INTERNAL_FIELDS.includes(name) && typeof value === 'string' && value !== '',
  );
  return String(named?.[1] ?? document['_id'] ?? '');
}

const isDocument = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && '_id' in value;

function timeText(value: Json): string {
  const date = new Date(typeof value === 'number' ? value : String(value));
  return Number.isNaN(date.getTime()) ? String(value) : DATE_TIME.format(date);
}

function plainText(value: Json, { type }: Pick<Field, 'type'>): string {
  if (value === null) return '';
  if (type === 'Reference' && isDocument(value)) return nameOfDocument(value);
  if (type === 'DateTime') return timeText(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** One value in a few words; empty where there is none. */
export function valueText(value: Json | undefined, field: Pick<Field, 'type'>): string {
  if (value === undefined) return '';
  if (Array.isArray(value) && field.type !== 'Object' && field.type !== 'Mixed') {
    return shortened(value.map((part: Json) => plainText(part, field)).join(', '));
  }
  return shortened(plainText(value, field));
}

/** What people call a document: the text of its title field, else its id. */
export function titleOf(document: JsonObject, title: Field | undefined): string {
  const text = title === undefined ? '' : valueText(memberOf(document, title.name), title).trim();
  return text === '' ? String(document['_id'] ?? '') : text;
}
