// Reading code: what is in force, what was, and what changed in between.
import { AppError } from '../../errors.ts';
import type { LifecycleDeps } from '../lifecycle/lifecycle-deps.ts';
import { getModuleOrThrow } from '../lifecycle/removal.ts';
import { moduleKey } from '../model/address.ts';
import type { ModuleAddress, ModuleService, VersionSummary } from '../model/types.ts';
import { diffSources } from './source-diff.ts';

/** The part of the service that only reads. */
export function createVersionHistory(
  core: LifecycleDeps,
): Pick<ModuleService, 'source' | 'versions' | 'versionSource' | 'versionPolicy' | 'diff'> {
  const { records } = core;

  const versionSource = async (address: ModuleAddress, version: number): Promise<string> => {
    const source = await records.findSource(moduleKey(address), version);
    if (source === undefined) throw new AppError('NOT_FOUND');
    return source;
  };

  return {
    versionSource,
    async versionPolicy(address, version) {
      const { state, policy } = getModuleOrThrow(core, address);
      const facts = await records.findVersion(state.key, version);
      const isNear = state.active?.version === version || state.pending.includes(version);
      if (facts === undefined || (facts.policy === null && !isNear)) throw new AppError('NOT_FOUND');
      return facts.policy ?? policy.input ?? { version: 1 };
    },
    source(address) {
      const { source } = getModuleOrThrow(core, address);
      if (source === undefined) throw new AppError('NOT_FOUND', { message: 'No version is approved yet' });
      return source;
    },
    async versions(address) {
      const key = moduleKey(address);
      const found = await records.listVersions(key);
      // Those of a module that was removed stay.
      if (found.length === 0) getModuleOrThrow(core, address);
      const { active } = core.shelf.getState(key);
      return found.map(
        ({ version, sha256, clientId, createdAt }): VersionSummary => ({
          ...{ version, sha256, clientId, createdAt },
          active: version === active?.version,
        }),
      );
    },
    async diff(address, a, b) {
      const name = (version: number) => `${moduleKey(address)}@${version}`;
      const [from, to] = await Promise.all([versionSource(address, a), versionSource(address, b)]);
      return diffSources({ name: name(a), text: from }, { name: name(b), text: to });
    },
  };
}
