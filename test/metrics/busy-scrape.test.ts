// Scrapes while connections are at work, and many scrapes at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExposition } from '../../src/metrics/exposition.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { sendRaw } from '../helpers/server-process/client.ts';
import { parseScrape, requestsBetween, type ScrapedSample, scrape, sumOf } from './scrape.ts';

const CONNECTIONS = 50;
const REQUESTS = 40;
const SCRAPES = 10;

describe('scrapes while fifty connections are at work', () => {
  let app: TestApp;
  let url: string;

  beforeAll(async () => {
    app = await startApp();
    url = await app.listen();
  });

  afterAll(() => app.close());

  it('never go back, agree in themselves, and tell of all requests in the end', async () => {
    const admin = await app.adminToken();
    const before = await scrape(url, admin);
    const head = `GET /1.0/library/books HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${admin}\r\n`;
    const text = `${`${head}\r\n`.repeat(REQUESTS - 1)}${head}Connection: close\r\n\r\n`;
    const work = Promise.all(Array.from({ length: CONNECTIONS }, () => sendRaw(url, text)));
    const seen: (readonly ScrapedSample[])[] = [before];
    for (let n = 0; n < SCRAPES; n += 1) seen.push(await scrape(url, admin));
    await work;
    await expect
      .poll(async () => requestsBetween(before, await scrape(url, admin)))
      .toEqual({ 'GET /{version}/{database}/{collection} 200': CONNECTIONS * REQUESTS });
    const totals = seen.map((samples) => sumOf(samples, 'cloister_http_requests_total'));
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    for (const samples of seen) {
      const durations = sumOf(samples, 'cloister_http_request_duration_seconds_count');
      expect(durations).toBe(sumOf(samples, 'cloister_http_requests_total'));
    }
  });
});

describe('an exposition', () => {
  const counting = () => {
    let reads = 0;
    const exposition = createExposition([
      {
        name: 'a_total',
        type: 'counter',
        help: 'Reads.',
        labels: [],
        read() {
          reads += 1;
          return [{ labels: {}, value: reads }];
        },
      },
    ]);
    return { exposition, reads: () => reads };
  };

  it('collects once for all who ask at the same time, and never what was collected before they asked', async () => {
    const { exposition, reads } = counting();
    const first = exposition.scrape('');
    const others = Array.from({ length: 100 }, () => exposition.scrape(''));
    const texts = (await Promise.all([first, ...others])).map(({ text }) =>
      sumOf(parseScrape(text), 'a_total'),
    );
    expect(texts).toEqual([1, ...others.map(() => 2)]);
    expect(reads()).toBe(2);
    expect(sumOf(parseScrape((await exposition.scrape('')).text), 'a_total')).toBe(3);
  });

  it('goes on after a collection that failed', async () => {
    let fails = true;
    const exposition = createExposition([
      {
        name: 'a',
        type: 'gauge',
        help: 'A.',
        labels: [],
        read() {
          if (fails) throw new Error('not now');
          return [{ labels: {}, value: 1 }];
        },
      },
    ]);
    const both = await Promise.allSettled([exposition.scrape(''), exposition.scrape('')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect((await exposition.scrape('')).text).toContain('\na 1\n');
  });

  const PLAIN = 'text/plain; version=0.0.4; charset=utf-8';
  const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

  it.each([
    ['', PLAIN],
    ['*/*', PLAIN],
    ['text/plain', PLAIN],
    ['application/json', PLAIN],
    ['application/openmetrics-text', OPEN],
    ['application/openmetrics-text;q=0', PLAIN],
    ['text/plain;q=0.9, application/openmetrics-text;version=1.0.0;q=0.5', PLAIN],
    [
      'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      OPEN,
    ],
  ])('answers the header %j in %s', async (accept, contentType) => {
    expect((await counting().exposition.scrape(accept)).contentType).toBe(contentType);
  });

  it('has the suffix of counters where each format wants it, whichever was asked for before', async () => {
    const { exposition } = counting();
    const open = 'application/openmetrics-text';
    for (let n = 0; n < 2; n += 1) {
      const { text } = await exposition.scrape(open);
      expect(text).toContain('# TYPE a counter\na_total ');
      expect(text).toContain('# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total ');
      expect(text.endsWith('\n# EOF\n')).toBe(true);
      const plain = (await exposition.scrape('')).text;
      expect(plain).toContain('# TYPE a_total counter\na_total ');
      expect(plain).toContain('# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total ');
      expect(plain).not.toContain('EOF');
    }
  });
});
