import { describe, expect, it } from 'vitest';
import { formatConfigIssue } from '../../src/config/config-issue.ts';

describe('formatProblem', () => {
  it.each([
    [{ setting: 'CLOISTER_SERVER_PORT', message: 'must be x' }, 'CLOISTER_SERVER_PORT must be x'],
    [
      { setting: 'a.b', message: 'must be x', file: 'w/config.json', line: 3 },
      'w/config.json:3: a.b must be x',
    ],
    [{ setting: 'a.b', message: 'must be x', file: 'w/config.json' }, 'w/config.json: a.b must be x'],
    [{ setting: '', message: 'is not valid JSON', file: 'c.json', line: 1 }, 'c.json:1: is not valid JSON'],
  ])('%j', (problem, line) => {
    expect(formatConfigIssue(problem)).toBe(line);
  });
});
