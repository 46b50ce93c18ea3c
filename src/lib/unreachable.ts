// What stands behind the last case of a switch over a closed type: the compiler refuses the call as long as a case is missing.

/** Throws TypeError: a value that no type allows came from outside, unchecked. Its content is not shown. */
export function unreachable(_value: never): never {
  throw new TypeError('A value of an unknown kind');
}
