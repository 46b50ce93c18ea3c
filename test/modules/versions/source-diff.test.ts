import { describe, expect, it } from 'vitest';
import { threadCpuMs } from '../../../src/lib/thread-cpu.ts';
import { diffSources } from '../../../src/modules/versions/source-diff.ts';

const diff = (a: string, b: string) => diffSources({ name: 'a', text: a }, { name: 'b', text: b });

describe('diffSources', () => {
  it('is a unified diff', () => {
    expect(diff('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\nfive\n6\n7\n8\n9\n')).toBe(
      '--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    );
  });

  it('is empty for equal texts', () => {
    expect(diff('1\n', '1\n')).toBe('');
  });

  it('marks a missing line end', () => {
    expect(diff('1\n', '1')).toBe('--- a\n+++ b\n@@ -1,1 +1,1 @@\n-1\n+1\n\\ No newline at end of file\n');
  });

  it('replaces texts whole that take too long to compare', () => {
    const lines = (mark: string) => Array.from({ length: 20_000 }, (_, at) => `${mark}${at}`).join('\n');
    const begun = threadCpuMs();
    const text = diff(`${lines('a')}\n`, lines('b'));
    expect(threadCpuMs() - begun).toBeLessThan(1000);
    expect(text.startsWith('--- a\n+++ b\n@@ -1,20000 +1,20000 @@\n-a0\n')).toBe(true);
    expect(text.endsWith('+b19999\n\\ No newline at end of file\n')).toBe(true);
    expect(text.split('\n').filter((line) => line.startsWith('-a'))).toHaveLength(20_000);
  });
});
