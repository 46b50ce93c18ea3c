// Facts are found out once, and it is noted which were asked for.

import { describe, expect, it } from 'vitest';
import {
  createAcceptLanguageParser,
  createVisitorFactSources,
  createVisitorFacts,
  isSameNetwork,
  parseNetworks,
} from '../../../src/delivery/model/visitor-facts.ts';

const VISITOR = { userAgent: 'A phone', acceptLanguage: 'en', ip: '81.2.69.160' };

function sources() {
  const asked: string[] = [];
  const note = (what: string, answer: string) => async (about: string) => {
    asked.push(`${what} of ${about}`);
    return answer;
  };
  return {
    asked,
    languages: createAcceptLanguageParser(),
    device: note('device', 'mobile'),
    country: note('country', 'GB'),
    network: note('network', 'dsl'),
  };
}

describe('the facts about a visitor', () => {
  it('are each found out once, however often they are asked for', async () => {
    const { asked, ...all } = sources();
    const facts = createVisitorFacts(VISITOR, all);
    const twice = [
      facts.device(),
      facts.device(),
      facts.country(),
      facts.country(),
      facts.network(),
      facts.network(),
    ];
    expect(await Promise.all(twice)).toEqual(['mobile', 'mobile', 'GB', 'GB', 'dsl', 'dsl']);
    expect(facts.languages()).toBe(facts.languages());
    expect(asked).toEqual(['device of A phone', 'country of 81.2.69.160', 'network of 81.2.69.160']);
  });

  it('are looked up when they are asked for, not before', async () => {
    const facts = createVisitorFacts(VISITOR, sources());
    expect([...facts.consulted]).toEqual([]);
    facts.languages();
    await facts.country();
    expect([...facts.consulted]).toEqual(['language', 'country']);
  });
});

describe('the sources of facts about a visitor', () => {
  it('are the headers, and the lookups that they are given', async () => {
    const facts = createVisitorFacts(
      { ...VISITOR, userAgent: 'curl/8.5.0' },
      createVisitorFactSources(sources()),
    );
    expect([await facts.device(), facts.languages()]).toEqual(['desktop', [{ tag: 'en', quality: 1 }]]);
    expect([await facts.country(), await facts.network()]).toEqual(['GB', 'dsl']);
  });
});

describe('the networks of a condition', () => {
  it.each([
    ['cable', ['cable']],
    ['Cable/DSL', ['cable', 'dsl']],
    ['Cellular', ['cellular']],
    ['Corporate', ['corporate']],
    ['Dialup', ['dialup']],
    ['Satellite', ['satellite']],
    [' Cable / DSL ', ['cable', 'dsl']],
    ['cable//dsl/', ['cable', 'dsl']],
    ['DSL/dsl', ['dsl']],
    ['/', []],
    ['', []],
    ['Fixed wireless', ['fixed wireless']],
  ])('are parsed from %j as %j', (answer, types) => {
    expect(parseNetworks(answer)).toEqual(types);
  });
});

describe('isSameNetwork', () => {
  it.each([
    ['mobile', 'cellular', true],
    ['cellular', 'mobile', true],
    ['mobile', 'mobile', true],
    ['cable', 'dsl', false],
    ['mobile', 'dialup', false],
    ['constructor', 'mobile', false],
  ])('compares %s and %s: %s', (a, b, same) => {
    expect(isSameNetwork(a, b)).toBe(same);
  });
});
