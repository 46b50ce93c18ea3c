import { describe, expect, it } from 'vitest';
import { inspectionDomain, isInspectionDomain } from '../../src/sandbox-supervisor/inspection-domain.ts';

describe('the domain of an inspection', () => {
  it('is another for each author, and for files', () => {
    const domains = [
      inspectionDomain(null),
      inspectionDomain(''),
      inspectionDomain('alice'),
      inspectionDomain('bob'),
    ];
    expect(new Set(domains).size).toBe(domains.length);
    expect(domains.map(isInspectionDomain)).toEqual(domains.map(() => true));
  });

  it('is none that a policy can name', () => {
    for (const domain of [null, 'default', 'inspect', 'own:endpoint:1.0/inspect']) {
      expect(isInspectionDomain(domain)).toBe(false);
    }
  });
});
