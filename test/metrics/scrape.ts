// Reads what `/metrics` answers: the samples of the text format by name and labels.
import type { Labels } from '../../src/metrics/metric.ts';

export interface ScrapedSample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

function parseSample(line: string): ScrapedSample {
  const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  const parsed = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text]);
  return { name, labels: Object.fromEntries(parsed), value: Number(value === '+Inf' ? Infinity : value) };
}

/** The samples of a text, which has to be well-formed. */
export function parseScrape(text: string): readonly ScrapedSample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseSample);
}

/** The sum of the samples of this name that have these labels. */
export function sumOf(samples: readonly ScrapedSample[], name: string, labels: Labels = {}): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** Everything that a listener tells, to whoever has this token. */
export async function scrape(url: string, token: string): Promise<readonly ScrapedSample[]> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200) throw new Error(`metrics: ${answer.status} ${await answer.text()}`);
  return parseScrape(await answer.text());
}

/** What was counted of requests between two scrapes, without the scrapes themselves: `method route status` to how often. */
export function requestsBetween(
  before: readonly ScrapedSample[],
  after: readonly ScrapedSample[],
  listener = 'content',
): Readonly<Record<string, number>> {
  const counted = (samples: readonly ScrapedSample[]) =>
    new Map(
      samples
        .filter(
          ({ name, labels }) => name === 'cloister_http_requests_total' && labels['listener'] === listener,
        )
        .filter(({ labels }) => labels['route'] !== '/metrics')
        .map(({ labels, value }) => [`${labels['method']} ${labels['route']} ${labels['status']}`, value]),
    );
  const earlier = counted(before);
  const differences = [...counted(after)].map(
    ([key, value]) => [key, value - (earlier.get(key) ?? 0)] as const,
  );
  return Object.fromEntries(differences.filter(([, value]) => value !== 0));
}
