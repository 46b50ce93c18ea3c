// Another process holds the lock of a module for too long: what waits for it is done later, not lost.
import { expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { soleCoordination } from '../../helpers/store/coordination.ts';
import { code, endpoint, loadedModules, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const FILE = 'endpoints/1.0/endpoint.report.js';

/** Another process holds every lock until `free`; `refused` counts who waited in vain. */
function heldLocks() {
  const state = { isHeld: false, refused: 0 };
  const coordination = {
    ...soleCoordination(),
    async exclusively<T>(_name: string, task: () => Promise<T>): Promise<T> {
      if (!state.isHeld) return task();
      state.refused += 1;
      throw new StoreError('busy');
    },
  };
  return { state, coordination };
}

it('the edit of a file is applied once the lock is free', async () => {
  const { state, coordination } = heldLocks();
  const { modules, write, errors } = await loadedModules({
    coordination,
    pause: async () => {
      state.isHeld = false;
    },
  });
  state.isHeld = true;
  await write(FILE, code({}, 'edited'));
  await expect.poll(() => modules.registry.get(REPORT)?.state, { interval: 20 }).toBe('active');
  expect(state.refused).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});

it('code that is found at the start is published once the lock is free', async () => {
  const { state, coordination } = heldLocks();
  state.isHeld = true;
  const { modules, write, errors } = await openModules({
    coordination,
    pause: async () => {
      state.isHeld = false;
    },
  });
  await write(FILE, code());
  await modules.load();
  await expect.poll(() => modules.registry.get(REPORT)?.state, { interval: 20 }).toBe('active');
  expect(state.refused).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});
