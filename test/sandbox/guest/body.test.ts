import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { answer } = useLab();
const bodyOf = (bodyType: string, body: string) =>
  answer('module.exports.post = (req, res) => res.json([typeof req.body, req.body])', {
    request: { method: 'POST', bodyType },
    body,
  });

describe('req.body', () => {
  it('is an empty object when nothing was sent', async () => {
    expect(await bodyOf('none', '')).toEqual(['object', {}]);
    expect(await bodyOf('json', '')).toEqual(['object', {}]);
  });

  it('is what the JSON says', async () => {
    expect(await bodyOf('json', '{"a":[1,"x"]}')).toEqual(['object', { a: [1, 'x'] }]);
    expect(await bodyOf('json', '5')).toEqual(['number', 5]);
  });

  it('is the text of a text', async () => {
    expect(await bodyOf('text', 'ü\n')).toEqual(['string', 'ü\n']);
    expect(await bodyOf('text', '')).toEqual(['string', '']);
  });

  it('has the fields of a form, repeated ones as lists', async () => {
    expect(await bodyOf('form', 'a=1&b=%C3%BC+x&a=2&c=')).toEqual([
      'object',
      { a: ['1', '2'], b: 'ü x', c: '' },
    ]);
  });

  it('changes no prototype', async () => {
    const source = `module.exports.post = (req, res) => res.json([Object.keys(req.body), ({}).x === undefined, req.body.x === undefined])`;
    for (const [bodyType, body] of [
      ['form', '__proto__=1&x=2'],
      ['json', '{"__proto__":{"y":1},"x":2}'],
    ]) {
      expect(await answer(source, { request: { method: 'POST', bodyType }, body: body! })).toEqual([
        ...[['__proto__', 'x'], true, false],
      ]);
    }
  });
});
