import { describe, expect, it } from 'vitest';
import { mergeMetrics } from '../../src/metrics/merge-texts.ts';

const textOf = (worker: number, ...more: readonly string[]) =>
  [
    '# HELP reads_total Reads.',
    '# TYPE reads_total counter',
    `reads_total{worker="${worker}"} ${worker * 10}`,
    '',
    '# HELP open Open files.',
    '# TYPE open gauge',
    `open{worker="${worker}"} ${worker}`,
    ...more,
    '',
  ].join('\n');

describe('metrics of several processes', () => {
  it('stand together by metric, each described once', () => {
    expect(mergeMetrics([textOf(1), textOf(2)])).toBe(
      [
        '# HELP reads_total Reads.',
        '# TYPE reads_total counter',
        'reads_total{worker="1"} 10',
        'reads_total{worker="2"} 20',
        '# HELP open Open files.',
        '# TYPE open gauge',
        'open{worker="1"} 1',
        'open{worker="2"} 2',
        '',
      ].join('\n'),
    );
  });

  it('end once where the format has an end, and have what only one process has', () => {
    const more = ['# TYPE rare counter', 'rare{worker="2"} 1', '# EOF'];
    const lines = mergeMetrics([textOf(1, '# EOF'), textOf(2, ...more), ''])
      .trim()
      .split('\n');
    expect(lines.slice(-3)).toEqual(['# TYPE rare counter', 'rare{worker="2"} 1', '# EOF']);
    expect(lines.filter((line) => line === '# EOF')).toHaveLength(1);
  });
});
