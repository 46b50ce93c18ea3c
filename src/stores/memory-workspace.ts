// A workspace in memory: one that is looked at as a whole before it is stored anywhere.
import type { WorkspaceFiles } from './workspace-files.ts';
import { isAtDepth, isWithinLevels } from './workspace-paths.ts';

/** Opens texts by their paths. What is written goes into the same map. */
export function createMemoryWorkspace(texts: Map<string, string>): WorkspaceFiles {
  const paths = (isMeant: (path: string) => boolean) => [...texts.keys()].filter(isMeant).sort();
  return {
    list: async (folder, depth) => paths(isAtDepth(folder, depth)),
    listAll: async (folder, levels) => paths(isWithinLevels(folder, levels)),
    async read(file, { maxBytes }) {
      const text = texts.get(file);
      if (text === undefined) return { state: 'absent' };
      const bytes = Buffer.from(text);
      if (bytes.length > maxBytes) return { state: 'unreadable', reason: 'too-long' };
      return { state: 'bytes', bytes };
    },
    async write(file, text) {
      texts.set(file, text);
    },
    async remove(file) {
      texts.delete(file);
    },
    // Nobody else writes it.
    watch: async () => async () => {},
  };
}
