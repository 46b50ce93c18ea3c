// A workspace in memory: one that is looked at as a whole before it is stored anywhere.
import type { WorkspaceFiles } from './workspace-files.ts';

const depthOf = (folder: string, path: string) =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/').length - 1 : -1;

/** Opens texts by their paths. What is written goes into the same map. */
export function createTextWorkspace(texts: Map<string, string>): WorkspaceFiles {
  const paths = (isMeant: (path: string) => boolean) => [...texts.keys()].filter(isMeant).sort();
  return {
    list: async (folder, depth) => paths((path) => depthOf(folder, path) === depth),
    async listAll(folder, levels) {
      return paths((path) => {
        const depth = depthOf(folder, path);
        return depth >= 0 && depth <= levels;
      });
    },
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
