// Reviewers, made as the operator makes them: by a command beside the running server.
import { clients } from '../../src/cli/clients.ts';
import type { TestApp } from './app.ts';
import { captureIo } from './console.ts';

/** Of every reviewer that is made here. */
export const REVIEWER_SECRET = 'a secret of a reviewer';

type Place = Pick<TestApp, 'workspace' | 'token'>;

/** Adds a reviewer, an admin too if asked, and resolves with its token. */
export async function addReviewer({ workspace, token }: Place, id: string, admin = false): Promise<string> {
  const flags = { id, secret: REVIEWER_SECRET, reviewer: true, admin };
  const io = captureIo(workspace.cwd);
  if ((await clients('clients add', flags, io)) !== 0) throw new Error(io.complained.join('\n'));
  return token(id, REVIEWER_SECRET);
}

/** Gives a client the right to approve, or takes it. */
export async function setReviewer({ workspace }: Place, id: string, reviewer: boolean): Promise<void> {
  const flags = reviewer ? { id, reviewer } : { id, 'no-reviewer': true };
  const io = captureIo(workspace.cwd);
  if ((await clients('clients set', flags, io)) !== 0) throw new Error(io.complained.join('\n'));
}
