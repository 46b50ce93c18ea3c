// The dashboard and the alert rules of `deploy/metrics` name what a scrape has, and the page of metrics names all of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFINITIONS } from '../../src/metrics/definitions.ts';
import type { MetricDefinition } from '../../src/metrics/metric.ts';
import { startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { type ScrapedSample, scrape } from './scrape.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Labels that Prometheus adds, and the variables of Grafana. */
const ADDED: ReadonlySet<string> = new Set(['job', 'instance']);
const METRIC = /\b((?:cloister|process|nodejs)_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g;
const GROUPING = /\bby \(([^)]*)\)/g;

function expressionsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(expressionsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    (name === 'expr' || name === 'definition') && typeof member === 'string'
      ? [member]
      : expressionsIn(member),
  );
}

/** The expressions of the rules: each goes on until the next member of its rule. */
const ruleExpressions = (yaml: string) =>
  [...yaml.matchAll(/^ {8}expr: (.*?)^ {8}[a-z]/gms)].map(([, expression = '']) => expression);

const SOURCES: Readonly<Record<string, readonly string[]>> = {
  'deploy/metrics/dashboard.json': expressionsIn(JSON.parse(read('deploy/metrics/dashboard.json'))),
  'deploy/metrics/alerts.yml': ruleExpressions(read('deploy/metrics/alerts.yml')),
};

describe('files for Prometheus and Grafana', () => {
  const labels = new Map<string, Set<string>>();

  beforeAll(async () => {
    const server = await startEndpointServer();
    try {
      const path = await server.endpoint('report', "module.exports.get = (req, res) => res.end('x');");
      expect((await server.get(path)).status).toBe(200);
      const add = ({ name, labels: own }: ScrapedSample) => {
        labels.set(name, new Set([...(labels.get(name) ?? []), ...Object.keys(own)]));
      };
      // Collections of garbage have been seen by the second time.
      for (let n = 0; n < 2; n += 1)
        for (const one of await scrape(server.url, await server.adminToken())) add(one);
    } finally {
      await server.close();
    }
  });

  it.each(Object.entries(SOURCES))('%s names metrics and labels of a scrape alone', (_file, expressions) => {
    expect(expressions.length).toBeGreaterThan(10);
    for (const expression of expressions) {
      const metrics = [...expression.matchAll(METRIC)];
      const known = new Set<string>(ADDED);
      for (const [, name = '', selector = ''] of metrics) {
        const own = labels.get(name) ?? (name.startsWith('nodejs_gc_') ? new Set(['kind', 'le']) : undefined);
        expect(own, `${name} in ${expression}`).toBeDefined();
        for (const label of own ?? []) known.add(label);
        const selected = [...selector.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
        for (const label of selected.filter((one) => !ADDED.has(one)))
          expect(own, expression).toContain(label);
      }
      const grouped = [...expression.matchAll(GROUPING)].flatMap(([, list = '']) => list.split(/,\s*/));
      for (const label of grouped) expect([...known], expression).toContain(label);
    }
  });

  it('the page of metrics has a row for each, with its labels', () => {
    const page = read('docs/metrics.md');
    for (const { name, type, labels: own } of Object.values<MetricDefinition>(DEFINITIONS)) {
      const shown = own.length === 0 ? '' : own.map((label) => `\`${label}\``).join(', ');
      expect(page).toContain(`| \`${name}\` | ${type} | ${shown} |`.replace('|  |', '| |'));
    }
    const rows = [...page.matchAll(/^\| `(cloister_[a-z_]+)` \|/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual(
      Object.values(DEFINITIONS)
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  it('the page of metrics tells of each alert', () => {
    const page = read('docs/metrics.md');
    const alerts = [...read('deploy/metrics/alerts.yml').matchAll(/alert: (\w+)/g)].map(
      ([, name = '']) => name,
    );
    expect(alerts.length).toBeGreaterThan(10);
    for (const name of alerts) expect(page).toContain(`\`${name}\``);
  });

  it('and every metric of ours is on the dashboard', () => {
    const shown = SOURCES['deploy/metrics/dashboard.json']?.join('\n') ?? '';
    for (const { name } of Object.values(DEFINITIONS)) expect(shown).toContain(name);
  });
});
