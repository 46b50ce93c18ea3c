// Connection types: what a service answers, and what a condition asks for.

/** Two words for one thing: services say the one, route files the other. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([['mobile', 'cellular']]);

const canonical = (name: string) => SYNONYMS.get(name) ?? name;

/** The types that an answer names, in lower case: `Cable/DSL` is both. */
export function networksIn(answer: string): readonly string[] {
  const parts = answer.toLowerCase().split('/');
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))];
}

/** Whether both name the same type. Both are in lower case. */
export const isSameNetwork = (a: string, b: string) => canonical(a) === canonical(b);
