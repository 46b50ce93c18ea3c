// Which changes of the configuration file are an admin's to make over HTTP. All others are the operator's.
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../lib/json.ts';
import { valueAt } from './effective.ts';
import { type Assignment, flatten, type Remark, remarkUnknown } from './flatten.ts';
import type { Config } from './schema.ts';
import type { Setting } from './settings.ts';

/** Unknown keys that one answer names. */
const UNKNOWN_MOST = 20;

interface Change {
  readonly patch: JsonObject;
  /** The content of the file, and what it would become. */
  readonly before: JsonObject;
  readonly after: JsonObject;
}

function whereSet({ leaf, env: [variable] }: Setting): string {
  return leaf.outsideFile === true ? `use a flag or ${variable}` : `set it in config.json or by ${variable}`;
}

/** Why the file must not say this; `value` is undefined where it would say nothing any more. */
function refusal(setting: Setting, value: Json | undefined, running: Config): string | undefined {
  const { leaf, path } = setting;
  if (leaf.overHttp === 'any') return undefined;
  if (leaf.overHttp === undefined) return `cannot be changed over HTTP: ${whereSet(setting)}`;
  const most = valueAt(running, path);
  const next = value ?? leaf.default;
  // What is no number is refused by the check of values.
  if (typeof next !== 'number' || typeof most !== 'number' || next <= most) return undefined;
  return `cannot be raised over HTTP above ${most}: ${whereSet(setting)}`;
}

function unknownIn({ patch, before, after }: Change): Remark[] {
  const kept = new Set(flatten(after).unknown.map((key) => remarkOf(key)));
  const lost = flatten(before).unknown.filter((key) => !kept.has(remarkOf(key)));
  const unknown = [...flatten(patch).unknown, ...lost].slice(0, UNKNOWN_MOST).map(remarkUnknown);
  return '$schema' in patch ? [{ written: '$schema', message: 'is not a setting' }, ...unknown] : unknown;
}

const remarkOf = ({ parent, key }: { readonly parent: string; readonly key: string }) => `${parent}.${key}`;

/** What of a change is not permitted, each as it was posted, or as the file has it where it would be taken away. */
export function refusedOf(running: Config, change: Change): readonly Remark[] {
  const before = flatten(change.before).assignments;
  const after = flatten(change.after).assignments;
  const posted = flatten(change.patch).assignments;
  const refused = unknownIn(change);
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, next] = [before.get(path), after.get(path)];
    if (old !== undefined && next !== undefined && isDeepStrictEqual(old.value, next.value)) continue;
    const { setting, written } = posted.get(path) ?? next ?? (old as Assignment);
    const message = refusal(setting, next?.value, running);
    if (message !== undefined) refused.push({ written, message });
  }
  return refused;
}
