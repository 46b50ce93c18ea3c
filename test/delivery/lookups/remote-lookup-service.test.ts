// Services that answer well, badly, slowly, or not at all.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fetchFromService } from '../../../src/delivery/lookups/remote-lookup.ts';
import { answerJson, lookupService } from '../../helpers/app/delivery.ts';

const IP = '81.2.69.160';
const PATH = 'country.code';
const GB = answerJson({ country: { code: ' GB ' } });
const unhurried = () => AbortSignal.timeout(10_000);

async function ask(answer: (response: ServerResponse) => void, signal = unhurried()) {
  const { origin } = await lookupService(answer);
  return fetchFromService({ url: `${origin}/{ip}`, path: PATH }, IP, signal);
}

describe('a request to a lookup service', () => {
  it('gives the text at the path, trimmed', async () => {
    expect(await ask(GB)).toBe('GB');
    expect(await ask((response) => void response.end('\uFEFF{"country":{"code":"GB"}}'))).toBe('GB');
  });

  it('fills in address, key and secret wherever they stand, encoded, and nothing in what was filled in', async () => {
    const { origin, asked } = await lookupService(GB);
    const url = `${origin}/{ip}/{ip}?k={key}&s={secret}&again={key}&other={other}`;
    await fetchFromService({ url, key: 'a b&{ip}', secret: '$&/ü', path: PATH }, '2a00::1', unhurried());
    const key = encodeURIComponent('a b&{ip}');
    const secret = encodeURIComponent('$&/ü').replace('$', '%24');
    expect(asked.map((path) => path.replaceAll('$', '%24'))).toEqual([
      `/2a00%3A%3A1/2a00%3A%3A1?k=${key}&s=${secret}&again=${key}&other={other}`,
    ]);
  });

  it('leaves key and secret empty where there are none', async () => {
    const { origin, asked } = await lookupService(GB);
    await fetchFromService({ url: `${origin}/{ip}?k={key}{secret}`, path: PATH }, IP, unhurried());
    expect(asked).toEqual([`/${IP}?k=`]);
  });

  it('sends credentials of the URL as a header', async () => {
    const { origin, credentials } = await lookupService(GB);
    const url = origin.replace('http://', 'http://user:{secret}@');
    await fetchFromService({ url, secret: 'p@ss', path: PATH }, IP, unhurried());
    expect(credentials).toEqual([`Basic ${Buffer.from('user:p@ss').toString('base64')}`]);
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['status 500', (response) => void response.writeHead(500).end('{"country":{"code":"GB"}}'), 'status 500'],
    ['status 404', (response) => void response.writeHead(404).end(), 'status 404'],
    ['a redirect', (response) => void response.writeHead(302, { location: '/' }).end(), 'status 302'],
    ['text that is not JSON', (response) => void response.end('GB'), 'is not JSON'],
    ['an empty answer', (response) => void response.end(), 'is not JSON'],
    ['status 204', (response) => void response.writeHead(204).end(), 'is not JSON'],
    ['another form', answerJson({ country: 'GB' }), 'no text at country.code'],
    ['null', answerJson(null), 'no text at country.code'],
    ['a number', answerJson({ country: { code: 44 } }), 'no text at country.code'],
    ['a list', answerJson({ country: { code: ['GB'] } }), 'no text at country.code'],
    ['blanks', answerJson({ country: { code: '  ' } }), 'is empty'],
    ['a novel', answerJson({ country: { code: 'x'.repeat(101) } }), 'longer than 100'],
    ['80 KB', answerJson({ country: { code: 'GB' }, more: 'x'.repeat(80_000) }), 'longer than 65536 bytes'],
    [
      '10 MB in 10 KB',
      (response) =>
        void response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(JSON.stringify({ country: { code: 'GB' }, more: 'x'.repeat(10_000_000) }))),
      'longer than 65536 bytes',
    ],
  ])('fails at %s', async (_, answer, message) => {
    await expect(ask(answer)).rejects.toThrow(message);
  });

  it('fails when nobody listens', async () => {
    await expect(
      fetchFromService({ url: 'http://127.0.0.1:9/', path: PATH }, IP, unhurried()),
    ).rejects.toThrow();
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['never answers', () => undefined],
    ['stops after the headers', (response) => response.writeHead(200).flushHeaders()],
    ['stops in the middle of the answer', (response) => void response.write('{"country":')],
    [
      'trickles without end',
      (response) => {
        const timer = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('ends in time with a service that %s', async (_, answer) => {
    await expect(ask(answer, AbortSignal.timeout(100))).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
