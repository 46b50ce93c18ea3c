// The text of an .env file that a shell, Node and systemd read alike.

const PLAIN = /^[A-Za-z0-9_.:/@%+=,-]+$/;
/** Within double quotes a shell replaces these; within single quotes nothing can stand for a single quote. */
const SPECIAL = /["$`\\!\n\r]/;

/** The line of a variable; undefined where no quotes are read alike by all of them. */
function line(name: string, value: string): string | undefined {
  if (PLAIN.test(value)) return `${name}=${value}`;
  if (/[\n\r\0]/.test(value)) return undefined;
  if (!value.includes("'")) return `${name}='${value}'`;
  return SPECIAL.test(value) ? undefined : `${name}="${value}"`;
}

/** `left`: variables whose values cannot be written there. */
export function envFile(values: ReadonlyMap<string, string>): {
  readonly text: string;
  readonly left: readonly string[];
} {
  const lines: string[] = [];
  const left: string[] = [];
  for (const [name, value] of [...values].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const written = line(name, value);
    if (written === undefined) left.push(name);
    else lines.push(written);
  }
  return { text: ['# Secrets: readable by the owner alone.', ...lines, ''].join('\n'), left };
}
