// Whether an answer is one of the ways in which an attack may end.
import type { Ending } from './attack.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An error of ours is shorter. Parsing megabytes here would count as work of the server, which is in this process. */
const LONGEST_ERROR = 100_000;

function codesOf(text: string): readonly string[] {
  if (text.length > LONGEST_ERROR) return [];
  try {
    const { errors } = JSON.parse(text);
    return errors.map(({ code }: { code: unknown }) => String(code));
  } catch {
    return [];
  }
}

/** Items of ENDPOINT_INVALID have the code of what is wrong. */
const INVALID = ['ENDPOINT_SYNTAX', 'ENDPOINT_LOAD'];

/** What our own errors may never show: files of ours, lines of a stack, what the sandbox is made of. */
const INTERNALS =
  /\bat (async )?\S+ \(|\.(ts|js|node):\d|node:internal|isolated-vm|\/(src|sandbox|node_modules)\//;

function wrongHeaders(answer: Answer, expected: Readonly<Record<string, string | RegExp | null>>): string[] {
  return Object.entries(expected)
    .filter(([name, value]) => {
      const actual = answer.headers.get(name);
      if (value === null || actual === null) return actual !== value;
      return typeof value === 'string' ? actual !== value : !value.test(actual);
    })
    .map(([name]) => `${name}: ${answer.headers.get(name)}`);
}

function wrongAnswer(answer: Answer, ending: Extract<Ending, { status: number }>): string[] {
  const problems = wrongHeaders(answer, ending.headers ?? {});
  if (answer.status !== ending.status) problems.push(`status ${answer.status}`);
  const { body } = ending;
  const same =
    body === undefined || (typeof body === 'string' ? answer.text === body : body.test(answer.text));
  if (!same) problems.push(`body ${answer.text.slice(0, 400)}`);
  return problems;
}

/** What is wrong with the answer; empty when it ended as it should. */
export function problemsOf(answer: Answer, ending: Ending): readonly string[] {
  const codes = codesOf(answer.text);
  if (codes.length > 0 && INTERNALS.test(answer.text))
    return [`shows internals: ${answer.text.slice(0, 400)}`];
  if ('status' in ending) return wrongAnswer(answer, ending);
  const allowed: readonly string[] = 'refused' in ending ? ending.refused : ending.codes;
  const isAllowed = (code: string) =>
    allowed.includes(code) || (INVALID.includes(code) && allowed.includes('ENDPOINT_INVALID'));
  if (codes.some(isAllowed)) return [];
  const bytes = 'orBytes' in ending ? ending.orBytes : -1;
  if (codes.length === 0 && answer.status < 300 && answer.text.length <= bytes) return [];
  return [`status ${answer.status} ${answer.text.slice(0, 400)}`];
}

/** Whether a caller is told to come back, as no host was free in time. */
export function isBusy(answer: Answer): boolean {
  return (
    answer.status === 503 &&
    answer.headers.has('retry-after') &&
    problemsOf(answer, { codes: ['ENDPOINT_BUSY'] }).length === 0
  );
}
