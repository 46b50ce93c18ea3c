// What npm prints, read as a person would: which lines nobody should have to see.

/** What npm says of the configuration of the machine it runs on. */
const OF_THE_MACHINE = /^npm warn Unknown \w+ config /;
/** `added 90 packages in 3s`, and the like; `in 1m` where it takes that long. */
const SUMMARY = /^(added|up to date|changed) .*\d+(ms|s|m)$/;
const ENGINE = /^npm warn EBADENGINE ?/;

/** The packages that npm warns of because they ask for another Node. */
function warnedOf(lines: readonly string[]): string[] {
  return lines
    .filter((line) => ENGINE.test(line))
    .flatMap((line) => /package: '(.+)@[^@]+'/.exec(line)?.[1] ?? []);
}

/**
 * Lines of an output that are neither npm's summary nor about the machine. Its warning that the Node is too old may be
 * there once, for `tooNew`.
 */
export function strayLines(output: string, tooNew: string | undefined): string[] {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const engine = warnedOf(lines);
  const expected = tooNew !== undefined && engine.length === 1 && engine[0] === tooNew;
  return lines.filter(
    (line) => !OF_THE_MACHINE.test(line) && !SUMMARY.test(line) && !(expected && ENGINE.test(line)),
  );
}
