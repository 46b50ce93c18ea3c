// Which entries of the audit log somebody looks for.
import type { Filter, FilterTest } from '../../stores/filter.ts';
import { joinFilters } from '../../stores/filter.ts';
import { auditEntryId } from './audit-entry.ts';

/** Members that are absent do not matter. */
export interface AuditSearch {
  /** Entries with a greater number. */
  readonly after?: number | undefined;
  /** Entries with a smaller number. */
  readonly before?: number | undefined;
  /** Who made the change; null: the machine. */
  readonly clientId?: string | null | undefined;
  /** An action with what is below it: `client`, `client.create`. */
  readonly action?: string | undefined;
  /** A target with what is below it: `/1.0/library`, `/1.0/library/books`. */
  readonly target?: string | undefined;
}

const field = (path: string, ...tests: readonly FilterTest[]): Filter => ({ kind: 'field', path, tests });

/** Text that equals `text`, or continues it behind the separator. */
function within(path: string, text: string, separator: '.' | '/'): Filter {
  const from = `${text}${separator}`;
  const to = `${text}${String.fromCharCode(separator.charCodeAt(0) + 1)}`;
  const below = field(path, { kind: 'gte', value: from }, { kind: 'lt', value: to });
  return { kind: 'or', filters: [field(path, { kind: 'eq', value: text }), below] };
}

/** The filter of the store for a search. */
export function auditFilter({ after, before, clientId, action, target }: AuditSearch): Filter {
  return joinFilters([
    after === undefined ? null : field('_id', { kind: 'gt', value: auditEntryId(after) }),
    before === undefined ? null : field('_id', { kind: 'lt', value: auditEntryId(before) }),
    clientId === undefined ? null : field('clientId', { kind: 'eq', value: clientId }),
    action === undefined ? null : within('action', action, '.'),
    target === undefined ? null : within('target', target, '/'),
  ]);
}
