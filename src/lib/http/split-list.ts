// Splits header values at a separator, but for what stands in quotes (RFC 9110, 5.6.1 and 5.6.4).

/**
 * The parts between separators, one character each; white space around them stays. A quote that is never closed extends to the
 * end. At most `maxParts`; what follows is left out. Takes time that grows linearly with the text.
 */
export function splitOutsideQuotes(
  text: string,
  separator: ',' | ';',
  maxParts = Number.POSITIVE_INFINITY,
): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length && parts.length < maxParts; at += 1) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') at += 1;
    else if (!isQuoted && character === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (parts.length < maxParts) parts.push(text.slice(start));
  return parts;
}
