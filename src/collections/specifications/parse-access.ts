// Parses who may do what: `settings.access` of a specification, and `access` of its fields.

import { AppError } from '../../errors/errors.ts';
import { ACCESS_ACTIONS, type AccessAction, isAccessAction } from '../../lib/access-actions.ts';
import { isNamedClient, isNamedUser, isRoleName } from '../../lib/client-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { parseRuleFilter } from '../filters/rule-filter.ts';
import {
  type AccessRule,
  type AccessRules,
  type FieldAccess,
  isOpenToAnyone,
  type RuleFilter,
} from '../model/access-rules.ts';
import type { CollectionSettings, Field } from '../model/collection.ts';
import type { IssueCollector } from './issue-collector.ts';

/** Rules of one action, and callers of one rule. */
const MAX_RULES = 50;
const MAX_CALLERS = 100;
const MAX_CALLER_LENGTH = 500;

const CALLER_FORMS = '`anyone`, `clients`, a role, `client:<id>` or `user:<issuer>:<sub>`';

const RULE_MEMBERS: readonly string[] = ['to', 'where'];
const FIELD_ACCESS_MEMBERS: readonly string[] = ['read', 'write'];

function callerIssue(value: Json): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_CALLER_LENGTH || !value.isWellFormed()) {
    return `is one of ${CALLER_FORMS}`;
  }
  if (value === 'admin') return 'need not be named: admins may do everything';
  if (isRoleName(value) || isNamedClient(value) || isNamedUser(value)) return undefined;
  return `is one of ${CALLER_FORMS}, and not \`${value.slice(0, 100)}\``;
}

type Report = (message: string) => void;

/** The callers of a list, or the only one. What is wrong goes to `report`. */
function parseCallers(value: Json | undefined, at: string, report: Report): readonly string[] {
  const callers: readonly Json[] = Array.isArray(value) ? value : value === undefined ? [] : [value as Json];
  if (value === undefined || callers.length > MAX_CALLERS) {
    report(`${at} must be a caller, or a list of at most ${MAX_CALLERS} callers: ${CALLER_FORMS}`);
    return [];
  }
  for (const caller of callers) {
    const issue = callerIssue(caller);
    if (issue !== undefined) report(`${at}: a caller ${issue}`);
  }
  return callers.filter((caller) => typeof caller === 'string');
}

interface RuleContext {
  readonly fields: ReadonlyMap<string, Field>;
  readonly at: string;
  readonly report: Report;
}

function parseWhere(value: Json | undefined, { fields, at, report }: RuleContext): RuleFilter | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) {
    report(`${at}: \`where\` must be a filter, which is an object`);
    return undefined;
  }
  try {
    return parseRuleFilter(value, { fields });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [item] = error.items;
    report(`${at}: \`where\`: \`${item?.field ?? ''}\` ${item?.message ?? error.message}`);
    return undefined;
  }
}

function parseRule(value: Json, context: RuleContext): AccessRule {
  const { at, report } = context;
  if (!isJsonObject(value)) {
    report(`${at} must be an object with \`to\`, and perhaps \`where\``);
    return { to: [], where: undefined };
  }
  for (const name of unknownMembers(value, RULE_MEMBERS)) {
    report(`${at}: \`${name}\` is unknown; known are \`to\` and \`where\``);
  }
  const to = parseCallers(value['to'], `${at}: \`to\``, report);
  if (value['to'] !== undefined && to.length === 0) report(`${at}: \`to\` must name a caller`);
  return { to, where: parseWhere(value['where'], context) };
}

const unknownMembers = (value: JsonObject, known: readonly string[]) =>
  Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => name.slice(0, 100));

/** The rules by action, of which `history` defaults to those of `update`; null without `settings.access`. */
export function parseAccessRules(
  value: Json | undefined,
  fields: ReadonlyMap<string, Field>,
  issues: IssueCollector,
): AccessRules | null {
  if (value === undefined || value === null) return null;
  const report: Report = (message) => issues.settingIssue('access', message);
  if (!isJsonObject(value)) {
    report('must be an object of actions with lists of rules');
    return {};
  }
  const rules: Partial<Record<AccessAction, readonly AccessRule[]>> = {};
  for (const [action, list] of Object.entries(value)) {
    if (!isAccessAction(action)) {
      report(`\`${action.slice(0, 100)}\` is no action: ${ACCESS_ACTIONS.join(', ')} are`);
    } else if (!Array.isArray(list) || list.length > MAX_RULES) {
      report(`${action} must be a list of at most ${MAX_RULES} rules`);
    } else {
      rules[action] = list.map((rule: Json, index) =>
        parseRule(rule, { fields, at: `${action}.${index}`, report }),
      );
    }
  }
  return rules.history === undefined && rules.update !== undefined
    ? { ...rules, history: rules.update }
    : rules;
}

/** Who may read and who may write a field; undefined where the specification says nothing of it. */
export function parseFieldAccess(
  name: string,
  value: Json | undefined,
  issues: IssueCollector,
): FieldAccess | undefined {
  if (value === undefined || value === null) return undefined;
  const report: Report = (message) => issues.fieldIssue(name, `\`access\` ${message}`);
  if (!isJsonObject(value)) {
    report('must be an object with `read` and `write`, each a list of callers');
    return undefined;
  }
  for (const member of unknownMembers(value, FIELD_ACCESS_MEMBERS)) {
    report(`has a member \`${member}\` that is unknown; known are \`read\` and \`write\``);
  }
  const callersOf = (member: string) =>
    value[member] === undefined ? undefined : parseCallers(value[member], `\`${member}\``, report);
  return { read: callersOf('read'), write: callersOf('write') };
}

const WRITES = ['create', 'update', 'delete'] as const;

/** Warns of what is open to everybody, which a server may mean and seldom does. */
export function warnOfOpenAccess(settings: CollectionSettings, issues: IssueCollector): void {
  const setting = settings.access === null ? 'settings.authenticate' : 'settings.access';
  const open = WRITES.filter((action) => isOpenToAnyone(settings, action));
  if (open.length > 0) {
    issues.warn(setting, `anyone may ${open.join(', ')} documents, without a token`);
  }
  if (settings.storeRevisions && isOpenToAnyone(settings, 'read')) {
    const history = isOpenToAnyone(settings, 'history')
      ? 'anyone may read these too: what a document held before, and removed documents'
      : 'the rules of `history` decide who may read these';
    issues.warn(setting, `anyone may read documents, and revisions are kept: ${history}`);
  }
}
