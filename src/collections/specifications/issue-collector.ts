// Collects what is wrong, or merely odd, with a specification, so that its author reads everything at once.
import type { ErrorItem } from '../../errors/errors.ts';

export interface SpecificationWarning {
  /** The part it is about: `fields.title`, `settings.index`. */
  readonly field?: string;
  readonly message: string;
}

/** A warning as `cloister check` and POST `/config` tell it. */
export function formatWarning({ field = '', message }: SpecificationWarning): string {
  return field === '' ? message : `${field}: ${message}`;
}

export interface IssueCollector {
  readonly issues: readonly ErrorItem[];
  readonly warnings: readonly SpecificationWarning[];
  /** Something that refuses the specification, in its own words. */
  add(item: ErrorItem): void;
  /** A field that is refused. */
  fieldIssue(name: string, message: string): void;
  /** A setting that is refused. */
  settingIssue(name: string, message: string): void;
  warn(field: string, message: string): void;
  /** True for as many unknown names as may be compared with the known ones: a specification may have a hundred thousand. */
  mayCompare(): boolean;
}

const MAX_COMPARED_NAMES = 2000;

export function createIssueCollector(): IssueCollector {
  let compared = 0;
  const items: ErrorItem[] = [];
  const warnings: SpecificationWarning[] = [];
  return {
    issues: items,
    warnings,
    add: (item) => {
      items.push(item);
    },
    fieldIssue: (field, message) => {
      items.push({ section: 'fields', field, message });
    },
    settingIssue: (setting, message) => {
      items.push({ section: 'settings', setting, field: setting, message });
    },
    mayCompare: () => {
      compared += 1;
      return compared <= MAX_COMPARED_NAMES;
    },
    warn: (field, message) => {
      warnings.push({ field, message });
    },
  };
}
