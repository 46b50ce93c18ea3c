// Connection types as services answer them.
import { describe, expect, it } from 'vitest';
import { isSameNetwork, networksIn } from '../../../src/delivery/conditions/network.ts';

describe('networksIn', () => {
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
  ])('reads %j as %j', (answer, types) => {
    expect(networksIn(answer)).toEqual(types);
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
  ])('%s and %s: %s', (a, b, same) => {
    expect(isSameNetwork(a, b)).toBe(same);
  });
});
