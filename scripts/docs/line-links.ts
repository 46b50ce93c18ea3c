// Links of the security pages to lines of the source: written by name, numbered here, so that they stay true.
import { posix } from 'node:path';

/** `[`isolate.js:86` `openIn`](isolate.js#L86)`: the file as shown, a name that it declares, the file as linked to. */
const LINK = /\[`([^`:\s]+)(?::\d+)?` `([^`]+)`\]\(([^)#\s]+)(?:#L\d+)?\)/g;

const escaped = (name: string) => name.replace(/[$#.*+?^()[\]{}|\\]/g, '\\$&');

/** Lines, from 1, on which a name is declared: as a function, variable, class, type, method or member. */
export function declarationLine(source: string, name: string): number | undefined {
  const word = escaped(name);
  const declared = new RegExp(
    `^\\s*\\(?(?:(?:export|async|return) )*(?:function\\*?|const|let|class|interface|type|get) ${word}(?![\\w$])|^\\s*(?:(?:async|static|readonly) )*${word}\\??\\s*[(=:{]|^\\s*"${word}":`,
  );
  const at = source.split('\n').findIndex((line) => declared.test(line));
  return at < 0 ? undefined : at + 1;
}

/**
 * The page with the number of its line in each such link. `path` is that of the page from the root of the repository.
 * Throws when a file does not declare the name.
 */
export function withLines(path: string, page: string, read: (path: string) => string): string {
  return page.replace(LINK, (_link, shown: string, name: string, target: string) => {
    const file = posix.join(posix.dirname(path), target);
    const line = declarationLine(read(file), name);
    if (line === undefined) throw new Error(`${path}: ${file} declares no ${name}`);
    return `[\`${shown}:${line}\` \`${name}\`](${target}#L${line})`;
  });
}
