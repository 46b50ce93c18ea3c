import { expect, test } from 'vitest';
import { createReport } from '../../../src/collections/specifications/report.ts';

test('keeps problems and warnings apart, in order', () => {
  const report = createReport();
  report.setting('count', 'is too small');
  report.field('title', 'is odd');
  report.add({ message: 'is strange' });
  report.warn('settings.sort', 'is slow');
  expect(report.items).toEqual([
    { section: 'settings', setting: 'count', field: 'count', message: 'is too small' },
    { section: 'fields', field: 'title', message: 'is odd' },
    { message: 'is strange' },
  ]);
  expect(report.warnings).toEqual([{ field: 'settings.sort', message: 'is slow' }]);
});
