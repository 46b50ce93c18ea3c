// One process with guests for all tests of a file.
import { afterAll, beforeAll } from 'vitest';
import { type Lab, openLab } from './lab.ts';
import { answerOf, expression, run } from './run.ts';

type RunOptions = NonNullable<Parameters<typeof run>[2]>;

export function useLab() {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab();
  });
  afterAll(() => lab.close());
  return {
    lab: () => lab,
    run: (source: string, options: RunOptions = {}) => run(lab, source, options),
    /** The JSON that a module answers with. */
    answer: (source: string, options: RunOptions = {}) => answerOf(lab, source, options),
    /** What an expression is worth inside, by way of JSON. `await` is allowed in it. */
    value: (code: string, options: RunOptions = {}) => answerOf(lab, expression(code), options),
    /** Name and message of what an expression throws. */
    thrown: (code: string, options: RunOptions = {}) =>
      answerOf(
        lab,
        `module.exports.get = async (req, res) => {
          try { await (${code}); } catch (error) { return res.json(error.name + ': ' + error.message); }
          res.json('nothing was thrown');
        }`,
        options,
      ),
  };
}

export const MODES = ['realm', 'context', 'isolate'] as const;
