// Finds the attacks, in a folder for each class: one a file, or several that differ in one thing.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack } from './attack.ts';

const FOLDER = join(import.meta.dirname, 'attacks');

export const CLASSES: readonly string[] = readdirSync(FOLDER).sort();

export interface Filed {
  /** `cpu-endless-loop`, or with its own name in a file of several `rejections-reasons-proxy`: also the name of its endpoint. */
  readonly name: string;
  readonly attack: Attack;
}

/** What a file of attacks exports. */
interface AttackFile {
  readonly attack?: Attack;
  readonly attacks?: Readonly<Record<string, Attack>>;
}

export async function attacksOf(folder: string): Promise<readonly Filed[]> {
  const files = readdirSync(join(FOLDER, folder)).sort();
  const filed = files.map(async (file) => {
    const { attack, attacks = {} } = (await import(join(FOLDER, folder, file))) as AttackFile;
    const name = `${folder}-${file.replace(/\.ts$/, '')}`;
    const several = Object.entries(attacks).map(([own, each]) => ({ name: `${name}-${own}`, attack: each }));
    return attack === undefined ? several : [{ name, attack }, ...several];
  });
  return (await Promise.all(filed)).flat();
}
