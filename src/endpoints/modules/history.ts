// Reading code: what is in force, what was, and what changed in between.
import { AppError } from '../../errors.ts';
import type { ModuleAddress, ModuleService, VersionRecord } from '../modules.ts';
import { keyOf } from './address.ts';
import type { Core } from './core.ts';
import { mustHold } from './removal.ts';
import { diffSources } from './source-diff.ts';

/** The part of the service that only reads. */
export function createHistory(
  core: Core,
): Pick<ModuleService, 'source' | 'versions' | 'versionSource' | 'versionPolicy' | 'diff'> {
  const { records } = core;

  const versionSource = async (address: ModuleAddress, version: number): Promise<string> => {
    const source = await records.source(keyOf(address), version);
    if (source === undefined) throw new AppError('NOT_FOUND');
    return source;
  };

  return {
    versionSource,
    async versionPolicy(address, version) {
      const { state, policy } = mustHold(core, address);
      const facts = await records.version(state.key, version);
      const isNear = state.active?.version === version || state.pending.includes(version);
      if (facts === undefined || (facts.policy === null && !isNear)) throw new AppError('NOT_FOUND');
      return facts.policy ?? policy.given ?? { version: 1 };
    },
    source(address) {
      const { source } = mustHold(core, address);
      if (source === undefined) throw new AppError('NOT_FOUND', { message: 'No version is approved yet' });
      return source;
    },
    async versions(address) {
      const key = keyOf(address);
      const found = await records.versions(key);
      // Those of a module that was removed stay.
      if (found.length === 0) mustHold(core, address);
      const { active } = core.shelf.state(key);
      return found.map(
        ({ version, sha256, clientId, createdAt }): VersionRecord => ({
          ...{ version, sha256, clientId, createdAt },
          active: version === active?.version,
        }),
      );
    },
    async diff(address, a, b) {
      const name = (version: number) => `${keyOf(address)}@${version}`;
      const [from, to] = await Promise.all([versionSource(address, a), versionSource(address, b)]);
      return diffSources({ name: name(a), text: from }, { name: name(b), text: to });
    },
  };
}
