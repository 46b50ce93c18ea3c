// Says in words why a client may do something with a document, or may not: the decision is that of `decide-access.ts`.

import type { AccessAction } from '../../lib/access-actions.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { Ground, RuledCollection, Scope } from './decide-access.ts';

const REASONS: Readonly<Record<Exclude<Ground, 'rules'>, string>> = {
  admin: 'Admins may do everything',
  open: '`settings.authenticate` asks for no token',
  client: 'The collection has no rules, and its permissions do not exclude this: any client may',
  permissions: 'The permissions of the client do not include this',
  'no-token': 'It needs a token',
  foreign: 'The collection has no rules, which users of identity providers need',
  'no-rules': 'It holds revisions of a collection with rules, and has no rules itself: only admins may',
};

/** `settings.access` names people count from 1. */
const nameOf = (action: AccessAction, index: number) => `Rule ${index + 1} of \`settings.access.${action}\``;

function explainRules({ rules }: Scope, action: AccessAction, matches: ExplainOptions['matches']): string {
  if (rules.length === 0) return `No rule of \`settings.access.${action}\` is for this client`;
  const covering = rules.find(({ filter }) => filter === MATCH_ALL || matches?.(filter) === true);
  if (covering !== undefined) return `${nameOf(action, covering.index)} allows it`;
  const names = rules.map(({ index }) => nameOf(action, index)).join(', ');
  const verb = rules.length === 1 ? 'is' : 'are';
  return matches === undefined
    ? `${names} ${verb} for this client, and for the documents that match \`where\``
    : `${names} ${verb} for this client, and not for this document: it does not match \`where\``;
}

/** The list of rules that is asked: where there is none for `history`, that for `update`. */
const listOf = ({ settings: { access } }: RuledCollection, action: AccessAction): AccessAction =>
  action === 'history' && access?.history === access?.update ? 'update' : action;

interface ExplainOptions {
  readonly collection: RuledCollection;
  readonly action: AccessAction;
  /** Whether the document matches; undefined: the question is about documents in general. */
  readonly matches: ((filter: Filter) => boolean) | undefined;
}

/** Why an action is decided as it is, as a sentence without a full stop. */
export function explainAction(scope: Scope, { collection, action, matches }: ExplainOptions): string {
  const { ground } = scope;
  return ground === 'rules' ? explainRules(scope, listOf(collection, action), matches) : REASONS[ground];
}

/** Whether an action is allowed with every document, with none, or with some. */
export function generalAnswer({ filter }: Scope): 'yes' | 'no' | 'some' {
  if (filter === null) return 'no';
  return filter === MATCH_ALL ? 'yes' : 'some';
}
