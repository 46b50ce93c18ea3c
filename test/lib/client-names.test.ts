import { describe, expect, it } from 'vitest';
import {
  isClientId,
  isIssuerName,
  isNamedClient,
  isNamedUser,
  isRoleName,
} from '../../src/lib/client-names.ts';
import { sourceFiles } from '../helpers/fixtures/source-tree.ts';

const LONGEST_ID = 'x'.repeat(200);

describe('names of clients, roles and issuers', () => {
  it.each(['a', '_', 'app@example.org', 'a:b+c~d-e.f', LONGEST_ID])('has the client id %s', (id) => {
    expect([isClientId(id), isNamedClient(`client:${id}`)]).toEqual([true, true]);
  });

  it.each(['', '.', '..', '-a', 'a/b', 'a b', 'é', 'a\n', `${LONGEST_ID}x`, 7, null])(
    'does not have the client id %j',
    (id) => {
      expect([isClientId(id), isNamedClient(`client:${id}`) && typeof id === 'string']).toEqual([
        false,
        false,
      ]);
    },
  );

  it('has roles of up to 100 characters', () => {
    expect(['editors', 'a_b-c', 'x'.repeat(100), 'anyone'].map(isRoleName)).toEqual([true, true, true, true]);
    expect(['', 'a b', 'a:b', 'a.b', 'a\n', 'x'.repeat(101)].some(isRoleName)).toBe(false);
  });

  it('has issuers of up to 50 characters', () => {
    expect(['login', 'a-1', 'x'.repeat(50)].map(isIssuerName)).toEqual([true, true, true]);
    expect(['', 'a_b', 'a:b', 'a\n', 'x'.repeat(51)].some(isIssuerName)).toBe(false);
  });

  it('names users by their issuer and by what it calls them, whatever that is', () => {
    expect(['user:login:1', 'user:login:a:b', 'user:login: ', 'user:login:é\n'].every(isNamedUser)).toBe(
      true,
    );
    const none = [
      'user',
      'user:login',
      'user:login:',
      'user::1',
      'user:a_b:1',
      `user:${'x'.repeat(51)}:1`,
      'login:1',
    ];
    expect(none.filter(isNamedUser)).toEqual([]);
  });

  it('are described in one place', () => {
    const described = sourceFiles('src').filter(({ text }) =>
      /A-Za-z0-9_\.@|\[A-Za-z0-9_-\]\+\$|\[A-Za-z0-9-\]/.test(text),
    );
    expect(described.map(({ path }) => path)).toEqual(['src/lib/client-names.ts']);
  });
});
