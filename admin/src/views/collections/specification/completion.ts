// What may be written at the cursor of a specification that is not finished.
import { namesAt, valuesAt } from './known-names.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

interface Level {
  readonly isList: boolean;
  readonly key: string;
}

interface Cursor {
  /** Of the object or the member in which the cursor is. */
  readonly path: readonly string[];
  readonly isName: boolean;
}

const withoutQuotes = (token: string) => token.replace(/^"|"$/g, '');

function cursorAfter(text: string): Cursor | undefined {
  const levels: Level[] = [];
  let last = '';
  let name = '';
  const enter = (isList: boolean) => {
    const parent = levels.at(-1);
    if (parent !== undefined) levels[levels.length - 1] = { ...parent, key: parent.isList ? '*' : name };
    levels.push({ isList, key: '' });
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') enter(token === '[');
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ':') name = withoutQuotes(last);
    last = token;
  }
  const level = levels.at(-1);
  if (level === undefined) return undefined;
  const path = levels.slice(0, -1).map(({ key }) => key);
  if (last === ':') return { path: [...path, name], isName: false };
  return level.isList || (last !== '{' && last !== ',') ? undefined : { path, isName: true };
}

/** For the editor: by the text before the word that is begun. */
export function suggest(before: string): readonly { readonly label: string; readonly info?: string }[] {
  const cursor = cursorAfter(before);
  if (cursor === undefined) return [];
  if (!cursor.isName) return valuesAt(cursor.path).map((label) => ({ label }));
  return Object.entries(namesAt(cursor.path) ?? {}).map(([name, info]) => ({
    label: `"${name}"`,
    ...(info !== '' && { info }),
  }));
}
