// Reads the code of modules: the active version, older ones, and the differences between them.

import { AppError } from '../../errors/errors.ts';
import { lazyPackage } from '../../lib/files/lazy-package.ts';
import {
  type ModuleAddress,
  type ModuleFilePart,
  type ModuleService,
  moduleKey,
  type PendingVersion,
  type VersionSummary,
} from '../model/module-types.ts';
import type { ModuleRecords, VersionRecord } from './module-records.ts';
import type { ModuleStates } from './module-states.ts';

const diff = lazyPackage<typeof import('diff')>('diff');

const TIMEOUT_MS = 50;
const CONTEXT = 3;

function linesOf(text: string, mark: string): string {
  const whole = text.endsWith('\n');
  const lines = (whole ? text.slice(0, -1) : text).split('\n').map((line) => `${mark}${line}\n`);
  return lines.join('') + (whole ? '' : '\\ No newline at end of file\n');
}

// Removes every line and adds every line: correct, if not helpful.
function wholeReplacement(a: Named, b: Named): string {
  const count = ({ text }: Named) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return [
    `--- ${a.name}\n+++ ${b.name}\n@@ -1,${count(a)} +1,${count(b)} @@\n`,
    linesOf(a.text, '-'),
    linesOf(b.text, '+'),
  ].join('');
}

interface Named {
  readonly name: string;
  readonly text: string;
}

/**
 * Unified diff from `a` to `b`, empty when they are equal. Texts that differ too much to be compared within 50 ms are
 * replaced whole.
 */
export function diffSources(a: Named, b: Named): string {
  if (a.text === b.text) return '';
  const patch = diff().createTwoFilesPatch(a.name, b.name, a.text, b.text, undefined, undefined, {
    context: CONTEXT,
    timeout: TIMEOUT_MS,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
  return patch ?? wholeReplacement(a, b);
}

const partOf = ({ policy }: VersionRecord): ModuleFilePart => (policy === null ? 'code' : 'policy');

const toPending = (record: VersionRecord): PendingVersion => {
  const { version, clientId, createdAt } = record;
  return { version, part: partOf(record), by: clientId, at: createdAt };
};

interface VersionHistoryDeps {
  readonly states: Pick<ModuleStates, 'all' | 'getOrThrow' | 'getState'>;
  readonly records: Pick<ModuleRecords, 'findVersion' | 'findVersions' | 'findSource' | 'listVersions'>;
}

/**
 * Creates the reader of what waits. A version does not change while it waits, so that each is read once: what was listed before is
 * listed without the store.
 */
function createPendingReader({ states, records }: VersionHistoryDeps): ModuleService['pending'] {
  let known: ReadonlyMap<string, readonly PendingVersion[]> = new Map();
  return async () => {
    const waiting = [...states.all()].flatMap(({ state }) => (state.pending.length > 0 ? [state] : []));
    const isKnown = (key: string, number: number) =>
      known.get(key)?.some(({ version }) => version === number);
    const unread = waiting.flatMap(({ key, pending }) =>
      pending.filter((version) => !isKnown(key, version)).map((version) => ({ key, version })),
    );
    const found = await records.findVersions(unread);
    const listed = waiting.map(({ key, pending }) => {
      const versions = [...(known.get(key) ?? []), ...(found.get(key) ?? []).map(toPending)];
      return [key, versions.filter(({ version }) => pending.includes(version))] as const;
    });
    known = new Map(listed);
    return known;
  };
}

/** Creates the part of the module service that only reads versions. */
export function createVersionHistory({
  states,
  records,
}: VersionHistoryDeps): Pick<
  ModuleService,
  'source' | 'versions' | 'pending' | 'versionSource' | 'versionPolicy' | 'diff'
> {
  const versionSource = async (address: ModuleAddress, version: number): Promise<string> => {
    const source = await records.findSource(moduleKey(address), version);
    if (source === undefined) throw new AppError('NOT_FOUND');
    return source;
  };

  return {
    versionSource,
    async versionPolicy(address, version) {
      const { state, policy } = states.getOrThrow(address);
      const record = await records.findVersion(state.key, version);
      const isCurrent = state.active?.version === version || state.pending.includes(version);
      if (record === undefined || (record.policy === null && !isCurrent)) throw new AppError('NOT_FOUND');
      return record.policy ?? policy.input ?? { version: 1 };
    },
    source(address) {
      const { source } = states.getOrThrow(address);
      if (source === undefined) throw new AppError('NOT_FOUND', { message: 'No version is approved yet' });
      return source;
    },
    async versions(address) {
      const key = moduleKey(address);
      const found = await records.listVersions(key);
      // A removed module keeps its versions.
      if (found.length === 0) states.getOrThrow(address);
      const { active } = states.getState(key);
      return found.map((record): VersionSummary => {
        const { version, sha256, clientId, createdAt, refused } = record;
        return {
          version,
          sha256,
          part: partOf(record),
          clientId,
          createdAt,
          active: version === active?.version,
          ...(refused !== undefined && { refused }),
        };
      });
    },
    pending: createPendingReader({ states, records }),
    async diff(address, a, b) {
      const name = (version: number) => `${moduleKey(address)}@${version}`;
      const [from, to] = await Promise.all([versionSource(address, a), versionSource(address, b)]);
      return diffSources({ name: name(a), text: from }, { name: name(b), text: to });
    },
  };
}
