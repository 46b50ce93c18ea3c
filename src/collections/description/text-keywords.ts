// The `validation` of a field as keywords of JSON Schema, as far as these mean the same.
import type { FieldValidation, PatternRule } from '../model/collection.ts';
import type { TextKeywords } from '../model/fields/field-type.ts';

/** `(?i:…)` and the like: younger than most engines, and the one place without flags where ours differs from ECMA-262. */
const MODIFIERS = /\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/;

/**
 * The pattern of a rule where ECMA-262 under the flag `u`, which is what JSON Schema asks for, matches the same texts. Undefined for
 * one with flags, which a schema cannot carry, and for one that is read without `u` here, because `u` refuses it. What is left is read
 * as under `u` by whichever engine runs it: by the linear one, which translates that syntax, or by the native one.
 */
export function portablePattern({
  pattern,
  flags,
}: Pick<PatternRule, 'pattern' | 'flags'>): string | undefined {
  if (flags !== '' || MODIFIERS.test(pattern)) return undefined;
  try {
    new RegExp(pattern, 'u');
    return pattern;
  } catch {
    return undefined;
  }
}

/** Keywords that hold for each text of a field. Lengths count code points in either. */
export function textKeywords({ minLength, maxLength, regex }: FieldValidation): TextKeywords {
  const pattern = regex && portablePattern(regex);
  return {
    ...(minLength !== undefined && minLength > 0 && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
  };
}
