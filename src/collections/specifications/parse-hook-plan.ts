// Reads `settings.hooks` of a specification: which hooks run at which event, in which order.
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { HOOK_EVENTS, type HookEvent, type HookPlan, type HookUse } from '../model/hook-events.ts';
import type { IssueCollector } from './issue-collector.ts';

/** They run one after the other while a client waits. */
const MAX_HOOKS = 20;
const NAME = /^[A-Za-z0-9_-]{1,100}$/;
const MEMBERS: ReadonlySet<string> = new Set(['hook', 'options']);
const EVENTS: ReadonlySet<string> = new Set(HOOK_EVENTS);

const isEvent = (name: string): name is HookEvent => EVENTS.has(name);

function parseHookUse(entry: Json): HookUse | undefined {
  if (typeof entry === 'string') return NAME.test(entry) ? { name: entry, options: undefined } : undefined;
  if (!isJsonObject(entry) || !Object.keys(entry).every((key) => MEMBERS.has(key))) return undefined;
  const { hook, options } = entry;
  return typeof hook === 'string' && NAME.test(hook) ? { name: hook, options } : undefined;
}

function parseHookUses(event: HookEvent, list: Json, report: IssueCollector): readonly HookUse[] {
  if (!Array.isArray(list)) {
    report.settingIssue('hooks', `${event} must be a list of hooks`);
    return [];
  }
  if (list.length > MAX_HOOKS) report.settingIssue('hooks', `${event} must have at most ${MAX_HOOKS} hooks`);
  return list.slice(0, MAX_HOOKS).flatMap((entry: Json, index) => {
    const use = parseHookUse(entry);
    if (use !== undefined) return [use];
    const shape = 'the name of a hook, or {"hook": name, "options": …}';
    report.settingIssue('hooks', `${event}: item ${index + 1} must be ${shape}`);
    return [];
  });
}

/** The plan; null when no hook is named. What is wrong goes into `report`, events that do not exist as warnings. */
export function parseHookPlan(source: Json | undefined, report: IssueCollector): HookPlan | null {
  if (source === undefined || source === null) return null;
  if (!isJsonObject(source)) {
    report.settingIssue('hooks', 'must be an object of events with lists of hooks');
    return null;
  }
  const plan: Partial<Record<HookEvent, readonly HookUse[]>> = {};
  for (const [event, list] of Object.entries(source)) {
    if (!isEvent(event)) {
      report.warn('settings.hooks', `\`${event.slice(0, 100)}\` is no event: ${HOOK_EVENTS.join(', ')} are`);
      continue;
    }
    const uses = parseHookUses(event, list, report);
    if (uses.length > 0) plan[event] = uses;
  }
  return Object.keys(plan).length === 0 ? null : plan;
}
