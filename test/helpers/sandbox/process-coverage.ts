// Coverage of child processes, where a test is about what they inherit.
import { afterAll, beforeAll } from 'vitest';

const VARIABLE = 'NODE_V8_COVERAGE';

/**
 * Keeps coverage from the children that the tests of this file start. Node hands `NODE_V8_COVERAGE` on to each of them, also
 * to one whose environment is to be empty.
 */
export function startChildrenWithoutCoverage(): void {
  let folder: string | undefined;
  beforeAll(() => {
    folder = process.env[VARIABLE];
    delete process.env[VARIABLE];
  });
  afterAll(() => {
    if (folder !== undefined) process.env[VARIABLE] = folder;
  });
}
