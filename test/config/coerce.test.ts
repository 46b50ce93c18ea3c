import { describe, expect, it } from 'vitest';
import { coerceText } from '../../src/config/coerce.ts';
import { findSetting } from '../../src/config/settings.ts';

const read = (path: string, text: string) => coerceText(findSetting(path)!.leaf, text);

describe('coerce', () => {
  it.each([
    ['server.port', '8081', 8081],
    ['server.shutdownSeconds', '0.5', 0.5],
    ['cors.enabled', 'true', true],
    ['cors.enabled', 'false', false],
    ['cors.origins', 'https://a.org, https://b.org', ['https://a.org', 'https://b.org']],
    ['cors.origins', '', []],
    ['server.name', '1', '1'],
    ['server.name', 'true', 'true'],
    ['auth.admin.id', '007', '007'],
    ['server.trustProxy', 'false', false],
    ['server.trustProxy', '2', 2],
    ['server.trustProxy', '10.0.0.0/8,::1', ['10.0.0.0/8', '::1']],
    ['media.tokenExpiresIn', '3600', 3600],
    ['media.tokenExpiresIn', '2 days', '2 days'],
  ])('%s=%s', (path, text, value) => {
    expect(read(path, text)).toEqual({ value });
  });

  it.each([
    ['server.port', '', 'must be a whole number'],
    ['server.port', '0x10', 'must be a whole number'],
    ['server.port', '1e3', 'must be a whole number'],
    ['server.port', ' 1', 'must be a whole number'],
    ['server.shutdownSeconds', 'Infinity', 'must be a number'],
    ['cors.enabled', '', 'must be true or false'],
    ['cors.enabled', 'yes', 'must be true or false'],
    ['cors.enabled', '1', 'must be true or false'],
    ['cors.enabled', 'TRUE', 'must be true or false'],
  ])('%s=%j is refused', (path, text, problem) => {
    expect(read(path, text)).toEqual({ issue: problem });
  });

  it('refuses an empty choice in the words of the setting', () => {
    expect(read('server.trustProxy', '')).toEqual({ issue: expect.stringContaining('must be false') });
  });
});
