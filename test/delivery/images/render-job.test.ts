// The one error that leaves the rendering by intention.
import { expect, it } from 'vitest';
import { RenderError } from '../../../src/delivery/images/render-job.ts';

it('a render error has a reason beside its message for the client', () => {
  const error = new RenderError('crop', 'outside');
  expect(error).toBeInstanceOf(Error);
  expect([error.reason, error.message]).toEqual(['crop', 'outside']);
});
