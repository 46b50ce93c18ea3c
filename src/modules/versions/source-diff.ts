// Unified diff between two versions of code.
import { lazyPackage } from '../../lib/files/lazy-package.ts';

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
