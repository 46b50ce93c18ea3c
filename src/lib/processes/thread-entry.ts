// What every thread of a pool runs: loads the module of a task and calls its function.
import { MovedResult, type ThreadAnswer, type ThreadTask } from './thread-messages.ts';

type Run = (task: unknown) => unknown;

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** By module and name: an import takes its time also when the module is there. */
const loaded = new Map<string, Run>();

async function load({ module, name }: ThreadTask): Promise<Run> {
  const known = loaded.get(`${module} ${name}`);
  if (known !== undefined) return known;
  const exports = (await import(module)) as Readonly<Record<string, Run>>;
  const run = exports[name];
  if (run === undefined) throw new TypeError(`${module} does not export ${name}`);
  loaded.set(`${module} ${name}`, run);
  return run;
}

async function answerOf(result: unknown): Promise<ThreadAnswer> {
  if (!(result instanceof MovedResult)) return { kind: 'value', value: result };
  const { move, transferableSymbol, valueSymbol } = await import('piscina');
  const answer: ThreadAnswer = { kind: 'value', value: result.value };
  return move({
    [transferableSymbol]: result.buffers,
    [valueSymbol]: answer,
  } as unknown as ArrayBuffer) as never;
}

/** Runs one task. Never rejects, as what it throws would lose its code on its way. */
export async function perform(message: ThreadTask): Promise<ThreadAnswer> {
  let run: Run;
  try {
    run = await load(message);
  } catch (error) {
    return { kind: 'unloaded', error, code: codeOf(error) };
  }
  try {
    return await answerOf(await run(message.task));
  } catch (error) {
    return { kind: 'thrown', error, code: codeOf(error) };
  }
}
