// Finds the attacks: one a file, in a folder for each class.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack } from './attack.ts';

const FOLDER = join(import.meta.dirname, 'attacks');

export const CLASSES: readonly string[] = readdirSync(FOLDER).sort();

export interface Filed {
  /** `cpu-endless-loop`: also the name of its endpoint. */
  readonly name: string;
  readonly attack: Attack;
}

export async function attacksOf(folder: string): Promise<readonly Filed[]> {
  const files = readdirSync(join(FOLDER, folder)).sort();
  return Promise.all(
    files.map(async (file) => {
      const { attack } = (await import(join(FOLDER, folder, file))) as { attack: Attack };
      return { name: `${folder}-${file.replace(/\.ts$/, '')}`, attack };
    }),
  );
}
