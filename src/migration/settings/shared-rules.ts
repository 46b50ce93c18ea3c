// Settings that both of the older servers had, and that have another form now.
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { type CarryRule, isBelow, isOn, numberValue, textValue } from './settings-plan.ts';

/** `publicUrl` as an object is one URL now. */
const publicUrl: CarryRule = (plan, { path }) => {
  const given = plan.older.at('publicUrl');
  if (!isBelow(path, 'publicUrl') || !isJsonObject(given)) return false;
  const host = textValue(given['host']);
  const protocol = textValue(given['protocol']) ?? 'http';
  const port = numberValue(given['port']);
  const isDefault = port === undefined || port === (protocol === 'https' ? 443 : 80);
  const url = host === undefined ? null : URL.parse(`${protocol}://${host}${isDefault ? '' : `:${port}`}`);
  if (url === null) plan.note(path, 'changed', 'left out: without a host there is no address');
  else {
    plan.set('publicUrl', url.origin);
    plan.note(path, 'changed', 'a part of `publicUrl`, which is one address now');
  }
  return true;
};

const LOG_LEVELS: ReadonlySet<Json> = new Set(['debug', 'info', 'warn', 'error', 'trace']);

/** The log goes to the standard error stream. */
const logging: CarryRule = (plan, { path, value }) => {
  if (!isBelow(path, 'logging')) return false;
  const enabled = plan.older.at('logging.enabled');
  const isOff = enabled !== undefined && !isOn(enabled);
  if (isOff && (path === 'logging.enabled' || path === 'logging.level')) {
    plan.set('logging.level', 'silent');
    plan.note(path, 'changed', 'now `logging.level`: `silent`');
    return true;
  }
  if (path === 'logging.level' && LOG_LEVELS.has(value)) return false;
  plan.note(path, 'changed', 'left out: the log goes to the standard error stream');
  return true;
};

/** The folders are those of the new workspace: these names would lead out of it. */
const paths: CarryRule = (plan, { path }) => {
  if (!isBelow(path, 'paths')) return false;
  plan.note(path, 'changed', 'left out: what it named is in the new workspace');
  return true;
};

export const SHARED_RULES: readonly CarryRule[] = [publicUrl, logging, paths];
