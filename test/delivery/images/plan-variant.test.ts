// What becomes of real and odd Accept headers.
import { describe, expect, it } from 'vitest';
import { negotiateFormats } from '../../../src/delivery/images/plan-variant.ts';

const CHROME = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';
const SAFARI_13 = 'image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5';

describe('the image format chosen by Accept', () => {
  it.each([
    [CHROME, ['avif', 'webp', 'compatible']],
    [SAFARI_13, ['compatible']],
    ['', ['compatible']],
    ['*/*', ['compatible']],
    ['image/*', ['compatible']],
    ['text/html, image/webp', ['webp', 'compatible']],
    ['text/html, image/webp;q=0.8', ['webp', 'compatible']],
    ['image/webp;q=0.5, image/avif;q=0.4', ['webp', 'avif', 'compatible']],
    ['IMAGE/WEBP ; q=0.9 , image/jpeg;q=0.8', ['webp', 'compatible']],
    ['image/webp;q=0.5, image/jpeg', ['compatible', 'webp']],
    ['image/avif;q=0, image/webp;q=0.0, */*', ['compatible']],
    ['image/avif;q=1.5, image/webp;q=x, */*', ['compatible']],
    ['image/jpeg;q=0, image/webp', ['webp']],
    ['image/jpeg;q=0', ['compatible']],
    ['image/avif;level=1;q=0.3', ['avif', 'compatible']],
    [`${'a/b,'.repeat(100_000)}image/webp`, ['compatible']],
  ])('is right for `auto` and header %#', (accept, candidates) => {
    expect(negotiateFormats('auto', accept)).toEqual({ candidates, varies: true });
  });

  it('is the first acceptable one of a list, else the last', () => {
    expect(negotiateFormats(['webp', 'jpg'], CHROME).candidates).toEqual(['webp', 'jpg']);
    expect(negotiateFormats(['webp', 'jpg'], ' image/webp;q=0.8').candidates).toEqual(['webp', 'jpg']);
    expect(negotiateFormats(['avif', 'webp'], '*/*')).toEqual({ candidates: ['webp'], varies: true });
  });

  it('does not depend on the header where there is one format', () => {
    expect(negotiateFormats(['webp'], '')).toEqual({ candidates: ['webp'], varies: false });
    expect(negotiateFormats(undefined, CHROME)).toEqual({ candidates: ['source'], varies: false });
    expect(negotiateFormats('json', CHROME)).toEqual({ candidates: ['json'], varies: false });
  });
});
