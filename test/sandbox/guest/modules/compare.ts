// Evaluates expressions that require modules twice: in a guest, and in this process, where they are Node's own.
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type { useLab } from '../../lab/use-lab.ts';

/** Results as JSON shows them, and what it does not show as text; of an error its class and code. */
const SHOW = `
const show = (value) => JSON.parse(JSON.stringify(value === undefined ? 'undefined' : value, (key, each) => {
  if (each === undefined) return 'undefined';
  if (typeof each === 'bigint' || typeof each === 'function' || typeof each === 'symbol') return typeof each + ' ' + String(each?.name ?? String(each));
  if (typeof each === 'number' && (!Number.isFinite(each) || Object.is(each, -0))) return 'number ' + (Object.is(each, -0) ? '-0' : each);
  return each;
}));
const outcomeOf = (run) => {
  try { return { value: show(run()) }; } catch (error) { return { thrown: error.name, code: error.code ?? null }; }
};`;

interface Outcome {
  readonly value?: unknown;
  readonly thrown?: string;
  readonly code?: string | null;
}

/** `prelude`: declarations that all expressions may use. Answers those that have another outcome than in Node. */
export async function differences(
  answer: ReturnType<typeof useLab>['answer'],
  prelude: string,
  expressions: readonly string[],
): Promise<readonly string[]> {
  const text = `${SHOW}\n${prelude}\nconst runs = [${expressions.map((each) => `() => (${each})`).join(',\n')}];`;
  const inNode = compileFunction(`${text}\nreturn runs.map(outcomeOf);`, ['require'])(
    createRequire(import.meta.url),
  ) as Outcome[];
  const source = `${text}\nexports.get = (req, res) => res.json(runs.map(outcomeOf));`;
  const inGuest = (await answer(source)) as Outcome[];
  return expressions
    .map((expression, index) => ({ expression, node: inNode[index], guest: inGuest[index] }))
    .filter(({ node, guest }) => JSON.stringify(node) !== JSON.stringify(guest))
    .map((each) => JSON.stringify(each));
}
