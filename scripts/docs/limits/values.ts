// Values in the tables of limits, with their units: defaults of settings and policies, the packaged policy limits, constants.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingUnit } from '../../../src/config/schema/setting-schema.ts';
import { findSetting } from '../../../src/config/setting-names.ts';
import { constantIn } from '../source-constants.ts';

const ROOT = join(import.meta.dirname, '../../..');
const KB = 1024;
const MB = 1024 * KB;
const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** `days` and `minutes` are milliseconds in the source. */
export type Unit = SettingUnit | 'days' | 'minutes' | 'count';

const counted = (value: number) => value.toLocaleString('en-US');

function bytesText(value: number): string {
  if (value >= MB && value % MB === 0) return `${counted(value / MB)} MB`;
  return value >= KB && value % KB === 0 ? `${counted(value / KB)} KB` : `${counted(value)} bytes`;
}

/** A value as the tables show it. */
export function withUnit(value: number, unit: Unit): string {
  switch (unit) {
    case 'bytes':
      return bytesText(value);
    case 'ms':
      return value >= SECOND_MS && value % SECOND_MS === 0
        ? `${counted(value / SECOND_MS)} s`
        : `${counted(value)} ms`;
    case 'days':
      return `${counted(value / DAY_MS)} days`;
    case 'minutes':
      return `${counted(value / (60 * SECOND_MS))} minutes`;
    case 'count':
      return counted(value);
    default:
      return `${counted(value)} ${unit}`;
  }
}

/** The default of a setting: `setting('limits.jsonBytes')`. */
export function setting(path: string): string {
  const leaf = findSetting(path)?.leaf;
  if (typeof leaf?.default === 'string') return `\`${leaf.default}\``;
  if (typeof leaf?.default !== 'number') throw new Error(`${path} has no default that is a number`);
  return withUnit(leaf.default, leaf.unit ?? 'count');
}

/** A constant of a source file: `constant('src/lib/json/json.ts', 'MAX_JSON_DEPTH')`. */
export function constant(file: string, name: string, unit: Unit = 'count'): string {
  try {
    return withUnit(constantIn(readFileSync(join(ROOT, file), 'utf8'), name), unit);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
