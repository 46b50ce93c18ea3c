// Upload tokens in URLs: how they look, and how a path is written where others read it.

/** Every token is longer, and no stored file has so long a name. */
const MIN_TOKEN_LENGTH = 250;
const DOT = /\.|%2e/gi;

/** Two dots, percent-encoded or not, part a token into three. */
export function hasTwoDots(part: string): boolean {
  return (part.match(DOT)?.length ?? 0) >= 2;
}

/** Has this part of a path the form of a token that a server signed? */
export function isTokenShaped(part: string): boolean {
  return part.length >= MIN_TOKEN_LENGTH && hasTwoDots(part);
}

/** A path or URL as logs and posted code may see it: tokens in the path are replaced, the query stays as it is. */
export function redactTokens(url: string): string {
  if (url.length < MIN_TOKEN_LENGTH) return url;
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  const shown = path.split('/').map((part) => (isTokenShaped(part) ? '<token>' : part));
  return shown.join('/') + url.slice(path.length);
}
