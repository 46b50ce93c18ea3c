// The other processes of a server that has none.
import type { Change, Coordination } from '../../../src/deployment/coordination.ts';

/** A process alone on its database. `announced` collects what it tells the others. */
export function soleCoordination(announced: Change[] = []): Coordination {
  return {
    onChange: () => undefined,
    announce: async (change) => void announced.push(change),
    exclusively: (_name, task) => task(),
    inForceEverywhere: async () => {},
    isConfirmed: () => true,
    isAlone: () => true,
  };
}
