// Numbers that the source declares, read out of its text: the reference pages show them without the files having to export them.

/** What follows `const NAME =`, up to its semicolon. */
function declared(source: string, name: string): string | undefined {
  return new RegExp(`^\\s*(?:export )?const ${name}\\b[^=\\n]*= (.*?);$`, 'ms').exec(source)?.[1];
}

/** One factor: a number, or the name of another constant of the same file. */
function factorValue(source: string, factor: string): number {
  const literal = factor.replaceAll('_', '');
  return /^\d+(?:\.\d+)?$/.test(literal) ? Number(literal) : constantIn(source, factor);
}

/**
 * The value of a constant: a product of numbers and of other constants, or a member of an object of such (`QUOTAS.bytes`).
 * Throws where there is no such constant, or it is something else.
 */
export function constantIn(source: string, path: string): number {
  const [name = '', member] = path.split('.');
  const text = declared(source, name);
  const expression =
    member === undefined ? text : new RegExp(`\\b${member}: ([^,}\\n]+)`).exec(text ?? '')?.[1];
  if (expression === undefined) throw new Error(`declares no ${path}`);
  const factors = expression.trim().split(/\s*\*\s*/);
  if (!factors.every((factor) => /^\w+$/.test(factor))) throw new Error(`${path} is no number`);
  return factors.reduce((product, factor) => product * factorValue(source, factor), 1);
}
