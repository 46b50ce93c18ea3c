// How the admin page names endpoints and hooks in what the server says of them.
import { expect, it } from 'vitest';
import { withTitle } from '../../../admin/src/parts/modules/module-ref.ts';

it('a message of the server names an endpoint as the page does, and says everything else as it is', () => {
  const report = { kind: 'endpoint', version: '1.0', name: 'report' } as const;
  expect(withTitle('Endpoint "1.0:report" created', report)).toBe('Endpoint "1.0/report" created');
  expect(withTitle('Endpoint "1.0:reports" created', report)).toBe('Endpoint "1.0:reports" created');
  expect(withTitle('Hook "slug" created', { kind: 'hook', name: 'slug' })).toBe('Hook "slug" created');
});
