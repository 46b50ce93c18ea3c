// What requests got to see of each other: in their answers, and in the log of their module.
import type { Arena, LogRecord } from './arena.ts';
import type { Attack, AttackRequest } from './attack.ts';
import type { Answer } from './endings.ts';
import type { Place } from './places.ts';

export interface Exchange {
  readonly request: AttackRequest;
  readonly answer: Answer;
  /** How long it took, by a clock of the event loop. */
  readonly ms: number;
}

/** What a test shows of a text. */
const SHOWN_CHARACTERS = 200;

const idOf = ({ answer }: Exchange) => answer.headers.get('x-request-id');

const knows = ({ request: { path, body } }: Exchange, secret: string) =>
  `${path}${body?.slice(0, 10_000)}`.includes(secret);

function secretsShown(exchanges: readonly Exchange[], secret: string): string[] {
  return exchanges
    .filter((exchange) => !knows(exchange, secret))
    .filter(({ answer: { headers, text } }) => `${JSON.stringify([...headers])}${text}`.includes(secret))
    .map(({ answer }) => `shows the secret of another: ${answer.text.slice(0, SHOWN_CHARACTERS)}`);
}

function secretsLogged(
  exchanges: readonly Exchange[],
  records: readonly LogRecord[],
  secret: string,
): string[] {
  const ids = new Set(exchanges.filter((exchange) => knows(exchange, secret)).map(idOf));
  return records
    .filter((record) => !ids.has(record.requestId) && JSON.stringify(record).includes(secret))
    .map(({ message }) => `logs the secret of another: ${message.slice(0, SHOWN_CHARACTERS)}`);
}

/** Requests whose log has anything but their own lines. */
function wrongLogs(
  exchanges: readonly Exchange[],
  records: readonly LogRecord[],
  mayRepeat: boolean,
): string[] {
  return exchanges.flatMap((exchange) => {
    const { log } = exchange.request;
    const lines = records.filter(({ requestId }) => requestId === idOf(exchange));
    const messages = lines.map(({ message }) => message.slice(0, SHOWN_CHARACTERS));
    // In any order: the hooks of one request may run in several hosts.
    const actual = JSON.stringify((mayRepeat ? [...new Set(messages)] : messages).sort());
    return log === undefined || actual === JSON.stringify(log.toSorted())
      ? []
      : [`expected to log ${log}: ${actual}`];
  });
}

function unlike([first, ...others]: readonly Exchange[]): string[] {
  return others
    .filter(({ answer }) => answer.text !== first?.answer.text)
    .map(({ answer }) => `not like the first answer, ${first?.answer.text}: ${answer.text}`);
}

/** What an attack showed that it may not show. */
export async function disclosures(
  arena: Arena,
  place: Place,
  { attack, exchanges }: { readonly attack: Attack; readonly exchanges: readonly Exchange[] },
): Promise<readonly string[]> {
  const { secret, alike, endsHosts } = attack;
  const isLogged = secret !== undefined || exchanges.some(({ request }) => request.log !== undefined);
  const records = isLogged ? await arena.logs(place) : [];
  return [
    ...(secret === undefined ? [] : secretsShown(exchanges, secret)),
    ...(secret === undefined ? [] : secretsLogged(exchanges, records, secret)),
    ...wrongLogs(exchanges, records, endsHosts === true),
    ...(alike === true ? unlike(exchanges) : []),
  ];
}
