// Members of a specification that nobody reads. Nothing is refused for one: people keep hints for their own programs there. But a slip
// in `storeRevisions` would cost the history, so each is a warning, with the name that was probably meant.
import type { JsonObject } from '../../lib/json/json.ts';
import { didYouMean, findNearestName, quoteName } from '../../lib/nearest-name.ts';
import type { IssueCollector } from './issue-collector.ts';

type Reporter = Pick<IssueCollector, 'warn' | 'mayCompare'>;

function* unknownNames(report: Reporter, source: JsonObject, known: readonly string[]): Generator<string> {
  for (const name of Object.keys(source)) {
    if (known.includes(name)) continue;
    if (!report.mayCompare()) return;
    yield name;
  }
}

/** Warns, at the part `field`, of each member of `source` that is none of `known`. */
export function warnUnknown(
  report: Reporter,
  field: string,
  source: JsonObject,
  known: readonly string[],
): void {
  for (const name of unknownNames(report, source, known)) {
    report.warn(field, `${quoteName(name)} has no effect${didYouMean(name, known)}`);
  }
}

/** Warns of each member that is nearly one of `known`, and returns the names of the others. */
export function warnNearMisses(
  report: Reporter,
  field: string,
  source: JsonObject,
  known: readonly string[],
): readonly string[] {
  const others: string[] = [];
  for (const name of unknownNames(report, source, known)) {
    const meant = findNearestName(name, known);
    if (meant === undefined) others.push(name);
    else report.warn(field, `${quoteName(name)} has no effect: did you mean \`${meant}\`?`);
  }
  return others;
}

/** The attributes that no field knows: a site of its own may have one in every field, and that is one warning. */
export interface UnknownAttributes {
  /** Takes those of the field `name`. */
  add(name: string, attributes: readonly string[]): void;
  /** Warns of each once, at the first field that has it. */
  warn(report: Reporter): void;
}

/** Collects the unknown attributes of one specification. */
export function createUnknownAttributes(): UnknownAttributes {
  const found = new Map<string, { readonly first: string; others: number }>();
  return {
    add(name, attributes) {
      for (const attribute of attributes) {
        const known = found.get(attribute);
        if (known === undefined) found.set(attribute, { first: name, others: 0 });
        else found.set(attribute, { ...known, others: known.others + 1 });
      }
    },
    warn(report) {
      for (const [attribute, { first, others }] of found) {
        const more = others === 0 ? '' : `, here and in ${others} more ${others === 1 ? 'field' : 'fields'}`;
        report.warn(`fields.${first}`, `${quoteName(attribute)} is no attribute and has no effect${more}`);
      }
    },
  };
}
