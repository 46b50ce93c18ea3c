// Which versions wait for a reviewer, of endpoints and of hooks.
import type { PendingVersion } from '../../api/types-modules.ts';
import { type ListedModule, useWatchedModules } from './module-queries.ts';
import { hrefOf, type ModuleRef } from './module-ref.ts';

export interface WaitingVersion extends PendingVersion {
  readonly ref: ModuleRef;
}

export const waitingIn = ({ ref, pending = [] }: ListedModule): readonly WaitingVersion[] =>
  pending.map((one) => ({ ...one, ref }));

/** What waits longest comes first; asked for each minute. Admins and reviewers may know it. */
export function useWaitingVersions(isWanted = true) {
  const endpoints = useWatchedModules('endpoint', isWanted);
  const hooks = useWatchedModules('hook', isWanted);
  const both = [endpoints.data, hooks.data];
  const isKnown = both.every((modules) => modules !== undefined);
  return {
    data: isKnown
      ? both.flatMap((list = []) => list.flatMap(waitingIn)).toSorted((a, b) => a.at - b.at)
      : undefined,
    error: endpoints.error ?? hooks.error,
    refetch: () => Promise.all([endpoints.refetch(), hooks.refetch()]),
  };
}

/** `New policy`, `New code` */
export const partWords = ({ part }: PendingVersion): string =>
  part === 'policy' ? 'New policy' : 'New code';

/** Address of the view where a version is approved or refused. */
export const reviewHref = (ref: ModuleRef, version: number): string =>
  `~/admin/endpoints/review/${ref.kind}${hrefOf(ref, 'code').replace(/\/code$/, '')}/${version}`;
