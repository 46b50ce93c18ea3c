// All texts of a workspace that a server reads, by the path that they have in a database: what `push` and `pull` move.
import { isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { createSpecificationFiles } from '../../collections/specifications/specification-files.ts';
import type { Config } from '../../config/schema.ts';
import { listDefinitionFiles } from '../../delivery/definitions/definition-files.ts';
import { AppError } from '../../errors/errors.ts';
import { createModuleFiles } from '../../modules/lifecycle/module-files.ts';
import { DATABASE_FOLDERS, MAX_WORKSPACE_TEXT_BYTES } from '../../stores/database-workspace.ts';
import { createFolderWorkspace } from '../../stores/folder-workspace.ts';
import type { WorkspaceContent, WorkspaceFolders } from '../../stores/workspace-files.ts';
import { isInsidePath } from '../../transfer/workspace-changes.ts';
import type { Workspace } from './open-workspace.ts';

type Part = keyof WorkspaceFolders;

const PARTS = Object.keys(DATABASE_FOLDERS) as readonly Part[];

/** The folders of a copy of the workspace: as the settings name them, where these lie in the workspace. */
function folderNames({ paths }: Pick<Config, 'paths'>): WorkspaceFolders {
  const named = PARTS.map((part) => {
    const path = normalize(paths[part]);
    const isInside = !isAbsolute(path) && path.split(sep)[0] !== '..';
    return [part, isInside ? path : part] as const;
  });
  return Object.fromEntries(named) as Record<Part, string> satisfies WorkspaceFolders;
}

/** What ends a push or a pull: the operator has to do something first. */
export const operatorError = (message: string) => new AppError('CONFIGURATION_INVALID', { message });

/** A folder with a copy of the workspace. */
export interface WorkspaceCopy extends Workspace {
  /** The file that has a path of the database. Throws CONFIGURATION_INVALID for a path that no workspace has. */
  fileOf(path: string): string;
}

/** Opens a folder that has, or gets, a copy of the workspace. */
export function openWorkspaceCopy(
  config: Pick<Config, 'paths'>,
  { cwd, folder }: { readonly cwd: string; readonly folder: string },
): WorkspaceCopy {
  const names = folderNames(config);
  const folders = Object.fromEntries(PARTS.map((part) => [part, resolve(folder, names[part])])) as Record<
    Part,
    string
  >;
  return {
    files: createFolderWorkspace(),
    folders,
    nameOf: (file) => relative(cwd, file),
    fileOf(path) {
      const part = PARTS.find((one) => path.startsWith(`${one}/`));
      if (part === undefined || !isInsidePath(path)) {
        throw operatorError(`the database has a path that no workspace has: ${JSON.stringify(path)}`);
      }
      return join(folders[part], ...path.slice(part.length + 1).split('/'));
    },
  };
}

/** The files that a server reads, each with its part. */
async function listRead({ files, folders }: Workspace): Promise<readonly (readonly [Part, string])[]> {
  const specifications = createSpecificationFiles(folders.collections, files);
  const modules = await createModuleFiles({ workspace: files, folders, maxBytes: 0 }).list();
  return [
    ...(await specifications.list())
      .filter((file) => specifications.addressOf(file) !== undefined)
      .map((file) => ['collections', file] as const),
    ...modules.map(({ address, file }) => [address.kind === 'hook' ? 'hooks' : 'endpoints', file] as const),
    ...(await listDefinitionFiles(files, folders.routes)).map((file) => ['routes', file] as const),
    ...(await listDefinitionFiles(files, folders.recipes)).map((file) => ['recipes', file] as const),
  ];
}

/** What there is, and what is wrong with it: a sentence for each file that has no text. */
export interface WorkspaceTexts {
  readonly texts: ReadonlyMap<string, string>;
  readonly unreadable: readonly string[];
}

/** Why a file has no text. */
function describeUnreadable({ reason, code }: Extract<WorkspaceContent, { state: 'unreadable' }>): string {
  const failed = `cannot be read: ${code}`;
  const descriptions = {
    'no-file': 'is not a file',
    'too-long': `has more than ${MAX_WORKSPACE_TEXT_BYTES} bytes`,
    link: 'is a symbolic link',
    failed,
    exhausted: failed,
  };
  return descriptions[reason];
}

/** Reads all texts. Rejects with errors of the operating system for a folder that cannot be read. */
export async function readWorkspaceTexts(workspace: Workspace): Promise<WorkspaceTexts> {
  const { files, folders, nameOf } = workspace;
  const texts = new Map<string, string>();
  const unreadable: string[] = [];
  for (const [part, file] of await listRead(workspace)) {
    const path = [DATABASE_FOLDERS[part], ...relative(folders[part], file).split(sep)].join('/');
    if (!isInsidePath(path)) {
      unreadable.push(`${nameOf(file)}: its name has a backslash, which no path in a database has`);
      continue;
    }
    // Links to routes and recipes are not followed by a server either.
    const followLinks = part !== 'routes' && part !== 'recipes';
    const content = await files.read(file, { maxBytes: MAX_WORKSPACE_TEXT_BYTES, followLinks });
    if (content.state === 'absent') continue;
    if (content.state === 'unreadable') {
      unreadable.push(`${nameOf(file)}: ${describeUnreadable(content)}`);
      continue;
    }
    try {
      // With its byte order mark, so that the file is the same when it comes back.
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      texts.set(path, decoder.decode(content.bytes));
    } catch {
      unreadable.push(`${nameOf(file)}: is not UTF-8`);
    }
  }
  return { texts, unreadable };
}
