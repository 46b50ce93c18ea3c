import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { createVisitor } from '../../../src/http/delivery/visitor.ts';

test('headers that are absent are empty', () => {
  const request = { headers: { 'user-agent': 'x' }, clientAddress: '192.0.2.1' } as unknown as FastifyRequest;
  expect(createVisitor(request)).toEqual({ userAgent: 'x', acceptLanguage: '', ip: '192.0.2.1' });
});
