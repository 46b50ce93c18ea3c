// Addresses of documents as people copy them: of the API, or of this page.

interface Pasted {
  /** Path of a known collection; undefined where the text names none. */
  readonly path: string | undefined;
  /** Id of a document, or the text as it is. */
  readonly document: string;
}

/** Takes a text apart in which a path of `paths` is followed by an id. */
export function parsePaste(text: string, paths: readonly string[]): Pasted {
  const path = paths.find((one) => text.includes(`${one}/`));
  if (path === undefined) return { path, document: text };
  const rest = text.slice(text.indexOf(`${path}/`) + path.length + 1);
  const [document = ''] = rest.split(/[/?#]/, 1);
  return { path, document };
}
