// The task of the thread that hashes passwords. Of a text more than 72 bytes long the function takes the first 72.
import { compareSync, genSaltSync, hashSync } from 'bcryptjs';

export type BcryptTask =
  | { readonly kind: 'hash'; readonly text: string; readonly salt: number | string }
  | { readonly kind: 'compare'; readonly text: string; readonly hash: string }
  | { readonly kind: 'salt'; readonly rounds: number };

/** Runs one task: about 0.1 s of the processor with ten rounds, twice that with each further one. */
export function bcryptTask(task: BcryptTask): string | boolean {
  if (task.kind === 'hash') return hashSync(task.text, task.salt);
  if (task.kind === 'compare') return compareSync(task.text, task.hash);
  return genSaltSync(task.rounds);
}
