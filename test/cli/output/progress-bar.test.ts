import { describe, expect, it } from 'vitest';
import { createProgressBar } from '../../../src/cli/output/progress-bar.ts';
import { createTestStreams } from '../../helpers/server-process/console.ts';

describe('createProgress', () => {
  it('draws a bar on a terminal', () => {
    const { stderr, drawn } = createTestStreams('', { terminal: true });
    const progress = createProgressBar(stderr, 200);
    progress.update(100, 12_345);
    progress.stop();
    expect(drawn()).toContain('50% | 12,345 documents');
    // The line is empty again, for what is printed next.
    expect(drawn()).toContain('\u001b[0K');
    expect(drawn().split('documents').at(-1)).not.toContain('%');
  });

  it.each([
    ['no terminal', false, 200],
    ['an unknown total', true, undefined],
    ['nothing to do', true, 0],
  ])('draws nothing for %s', (_, terminal, total) => {
    const { stderr, drawn } = createTestStreams('', { terminal });
    const progress = createProgressBar(stderr, total);
    progress.update(100, 1);
    progress.stop();
    expect(drawn()).toBe('');
  });
});
