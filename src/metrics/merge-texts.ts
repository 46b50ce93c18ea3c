// Metrics of several processes as one text: the samples of one metric have to stand together, below one description.

interface Family {
  readonly description: string[];
  readonly samples: string[];
}

const DESCRIPTION = /^# (?:HELP|TYPE|UNIT) (\S+)/;
/** The last line of OpenMetrics. */
const END = '# EOF';

/** Joins texts of one format, whose samples have labels that tell them apart. Each metric is described as the first text does. */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, Family>();
  let hasEnd = false;
  for (const text of texts) {
    const described = new Set(families.keys());
    let family: Family = { description: [], samples: [] };
    for (const line of text.split('\n')) {
      const name = DESCRIPTION.exec(line)?.[1];
      if (name !== undefined) {
        family = families.get(name) ?? { description: [], samples: [] };
        families.set(name, family);
        if (!described.has(name)) family.description.push(line);
      } else if (line === END) hasEnd = true;
      else if (line !== '') family.samples.push(line);
    }
  }
  const lines = [...families.values()].flatMap(({ description, samples }) => [...description, ...samples]);
  return `${[...lines, ...(hasEnd ? [END] : [])].join('\n')}\n`;
}
