// What every thread of a pool runs: loads the module of a task and calls its function, one task at a time.
import { parentPort } from 'node:worker_threads';
import { MovedResult, type ThreadAnswer, type ThreadTask } from './thread-messages.ts';

type Run = (task: unknown) => unknown;

const send = (answer: ThreadAnswer, buffers: readonly ArrayBuffer[] = []) =>
  parentPort?.postMessage(answer, [...buffers]);

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

async function load({ module, name }: ThreadTask): Promise<Run> {
  const exports = (await import(module)) as Readonly<Record<string, Run>>;
  const run = exports[name];
  if (run === undefined) throw new TypeError(`${module} does not export ${name}`);
  return run;
}

async function perform(message: ThreadTask): Promise<void> {
  const { id, task } = message;
  let run: Run;
  try {
    run = await load(message);
  } catch (error) {
    send({ kind: 'unloaded', id, error, code: codeOf(error) });
    return;
  }
  try {
    const result = await run(task);
    if (result instanceof MovedResult) send({ kind: 'value', id, value: result.value }, result.buffers);
    else send({ kind: 'value', id, value: result });
  } catch (error) {
    send({ kind: 'thrown', id, error, code: codeOf(error) });
  }
}

parentPort?.on('message', (message: ThreadTask) => void perform(message));
send({ kind: 'ready' });
