// What all uploads together may take.
import { describe, expect, it } from 'vitest';
import { type UploadLimits, UploadQuota, type UploadToAdmit } from '../../src/media/upload-quota.ts';

const quotaOf = (limits: Partial<UploadLimits> = {}) =>
  new UploadQuota({ uploads: 3, uploadsPerClient: 2, stagedBytes: 100, ...limits });

const by = (clientId: string | null, about: Partial<UploadToAdmit> = {}): UploadToAdmit => ({
  clientId,
  tokenId: undefined,
  declaredBytes: 0,
  ...about,
});

const full = (name: string) =>
  expect.objectContaining({
    code: 'UPLOADS_FULL',
    status: 503,
    headers: { 'Retry-After': '5' },
    items: [expect.objectContaining({ message: expect.stringContaining(name) })],
  });

describe('a quota of uploads', () => {
  it('admits so many at a time, and the next one when one has left', () => {
    const quota = quotaOf();
    const first = quota.enter(by('a'));
    quota.enter(by('b'));
    quota.enter(by(null));
    expect(() => quota.enter(by('c'))).toThrow(full('limits.uploads`'));
    first.leave();
    quota.enter(by('c'));
    expect(() => quota.enter(by('d'))).toThrow(full('limits.uploads`'));
  });

  it('admits fewer of one client, so that others find room', () => {
    const quota = quotaOf();
    const places = [quota.enter(by('a')), quota.enter(by('a'))];
    expect(() => quota.enter(by('a'))).toThrow(full('limits.uploadsPerClient`'));
    quota.enter(by('b'));
    for (const place of places) place.leave();
    quota.enter(by('a'));
    quota.enter(by('a'));
  });

  it('counts bytes as they arrive, those of all together, and gives them back', () => {
    const quota = quotaOf();
    const [first, second, third] = ['a', 'b', 'c'].map((client) => quota.enter(by(client)));
    first?.take(60);
    second?.take(30);
    third?.take(10);
    expect(() => second?.take(1)).toThrow(full('limits.stagedBytes`'));
    first?.leave();
    second?.take(60);
    expect(() => second?.take(1)).toThrow(full('limits.stagedBytes`'));
    second?.leave();
    third?.leave();
    quota.enter(by('a')).take(1);
    expect(() => quota.enter(by('b')).take(100)).toThrow(full('limits.stagedBytes`'));
  });

  it('lets one alone have what its form may have, and others beside it nothing', () => {
    const quota = quotaOf();
    const alone = quota.enter(by('a', { declaredBytes: 1000 }));
    alone.take(500);
    expect(() => quota.enter(by('b'))).toThrow(full('limits.stagedBytes`'));
    alone.take(500);
    alone.leave();
    quota.enter(by('b')).take(1000);
  });

  it('refuses what is announced to be too long before a byte of it is read', () => {
    const quota = quotaOf();
    quota.enter(by('a')).take(60);
    expect(() => quota.enter(by('b', { declaredBytes: 41 }))).toThrow(full('limits.stagedBytes`'));
    quota.enter(by('b', { declaredBytes: 40 }));
  });

  it('counts the text of forms, which stays in memory', () => {
    const quota = quotaOf();
    const first = quota.enter(by('a'));
    first.hold(67_108_864);
    const second = quota.enter(by('b'));
    expect(() => second.hold(1)).toThrow(full('fields of forms'));
    first.leave();
    second.hold(1);
  });

  it('has one upload for a token at a time, whoever sends it', () => {
    const quota = quotaOf();
    const place = quota.enter(by('a', { tokenId: 't' }));
    expect(() => quota.enter(by('a', { tokenId: 't' }))).toThrow(
      expect.objectContaining({
        status: 400,
        body: { name: 'TokenUsedError', message: 'An upload to this signed URL is under way' },
      }),
    );
    quota.enter(by('a', { tokenId: 'u' }));
    place.leave();
    quota.enter(by('a', { tokenId: 't' }));
  });
});
