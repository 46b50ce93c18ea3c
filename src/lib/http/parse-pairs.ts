// Names and values of queries and forms, as WHATWG URL reads them.

/** The pairs of a query without its question mark, or of a form. By itself the constructor drops a `?` with which a name begins. */
export function parsePairs(text: string): URLSearchParams {
  return new URLSearchParams(`?${text}`);
}
