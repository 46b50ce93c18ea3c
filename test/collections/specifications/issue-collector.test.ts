import { expect, test } from 'vitest';
import { createIssueCollector } from '../../../src/collections/specifications/issue-collector.ts';

test('an issue collector keeps problems and warnings apart, in order', () => {
  const report = createIssueCollector();
  report.settingIssue('count', 'is too small');
  report.fieldIssue('title', 'is odd');
  report.add({ message: 'is strange' });
  report.warn('settings.sort', 'is slow');
  expect(report.issues).toEqual([
    { section: 'settings', setting: 'count', field: 'count', message: 'is too small' },
    { section: 'fields', field: 'title', message: 'is odd' },
    { message: 'is strange' },
  ]);
  expect(report.warnings).toEqual([{ field: 'settings.sort', message: 'is slow' }]);
});
