// A guide of docs/ as its reader works through it: files to save, programs to start, commands to type and what they print.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export interface GuideStep {
  readonly heading: string;
  /** `file`: saved as `path`. `terminal`: goes on in a terminal of its own. `commands`: typed, one block after the other. */
  readonly kind: 'file' | 'terminal' | 'commands';
  readonly path: string;
  readonly text: string;
  /** What commands print, with … for whatever; undefined where the guide does not say. */
  readonly printed: string | undefined;
}

const BLOCK = /^(?:`([^`\n]+)`:\n\n)?```(\w+)\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?/gms;

function kindOf(language: string, path: string): GuideStep['kind'] | undefined {
  if (path !== '') return 'file';
  return ({ sh: 'terminal', bash: 'commands' } as const)[language];
}

/**
 * The blocks of a page in their order. A block behind a line that only names a path is a file, one fenced with ```sh is for a
 * terminal of its own, one with ```bash has commands, and a ```text block behind these is what they print. Others only show.
 */
export function guideStepsOf(page: string): readonly GuideStep[] {
  return page
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const heading = section.slice(0, section.indexOf('\n'));
      return [...section.matchAll(BLOCK)].flatMap(([, path = '', language = '', text = '', printed]) => {
        const kind = kindOf(language, path);
        return kind === undefined ? [] : [{ heading, kind, path, text, printed }];
      });
    });
}

/** The text as a pattern for the whole of an output: … stands for anything. */
export const outputPattern = (text: string): RegExp =>
  new RegExp(`^${text.trim().split('…').map(RegExp.escape).join('[^]*')}$`);

/** Saves a file of a guide below the folder. */
export function saveFile(folder: string, { path, text }: Pick<GuideStep, 'path' | 'text'>): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

interface Terminal {
  /** Runs commands; variables and functions stay for the next ones. Rejects when one fails. Resolves with what was printed. */
  type(script: string): Promise<string>;
}

/**
 * A shell in the folder. `state` is a file for what lasts between commands. Most programs that are typed are not ours: coverage,
 * which slows them down, is not measured.
 */
export function openTerminal(folder: string, state: string, env: Readonly<Record<string, string>>): Terminal {
  writeFileSync(state, '');
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  return {
    type: (script) =>
      new Promise((resolve, reject) => {
        const whole = `set -a; source "$STATE"; set -euo pipefail\n${script}\n{ export -p; declare -f; } > "$STATE"`;
        const child = spawn('bash', ['-c', whole], {
          cwd: folder,
          env: {
            ...process.env,
            NODE_OPTIONS: '',
            NODE_V8_COVERAGE: undefined,
            PATH: path,
            STATE: state,
            ...env,
          },
        });
        const printed = { stdout: '', stderr: '' };
        for (const name of ['stdout', 'stderr'] as const) {
          child[name].setEncoding('utf8').on('data', (text: string) => {
            printed[name] += text;
          });
        }
        child.once('error', reject);
        child.once('close', (code) => {
          if (code === 0) resolve(printed.stdout);
          else reject(new Error(`ended with ${code}: ${printed.stdout}${printed.stderr}`));
        });
      }),
  };
}
