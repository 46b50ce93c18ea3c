import { expect, test } from 'vitest';
import { pathSegments } from '../../../src/lib/http/path-segments.ts';

test.each([
  ['/', ['']],
  ['/a', ['a']],
  ['/a/', ['a']],
  ['/a//', ['a', '']],
  ['/a//b', ['a', '', 'b']],
  ['/a%2Fb/%C3%A9', ['a/b', 'é']],
  ['/a/%2F/', ['a', '/']],
])('the path %s has the segments %j: an encoded slash separates nothing', (path, segments) => {
  expect(pathSegments(path)).toEqual(segments);
});

test.each(['/a/%', '/%zz', '/%C3'])('the path %s, which does not decode, has no segments', (path) => {
  expect(pathSegments(path)).toBeUndefined();
});
