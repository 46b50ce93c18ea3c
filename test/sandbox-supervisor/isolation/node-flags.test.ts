import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { nodeFlags } from '../../../src/sandbox-supervisor/isolation/node-flags.ts';

/** Evaluates an expression under the flags. */
function evaluate(expression: string, jit = false): string {
  const flags = nodeFlags({ jit, readable: ['/nothing'] });
  return spawnSync(process.execPath, [...flags, '--print', expression], { encoding: 'utf8' }).stdout.trim();
}

describe('the Node flags of a host', () => {
  it('disable the just-in-time compiler, and WebAssembly with it, unless it is granted', () => {
    expect(evaluate('typeof WebAssembly')).toBe('undefined');
    expect(evaluate('typeof WebAssembly', true)).toBe('object');
  });

  it('disable evaluation and __proto__ in the realm of the host', () => {
    expect(evaluate('try { new Function("1") } catch (error) { error.name }')).toBe('EvalError');
    expect(evaluate('"__proto__" in {}')).toBe('false');
  });

  it('deny every permission that is not named', () => {
    const asked = ['fs.write', 'child', 'worker', 'net', 'inspector', 'wasi'];
    expect(evaluate(`${JSON.stringify(asked)}.filter((scope) => process.permission.has(scope)).length`)).toBe(
      '0',
    );
    expect(evaluate('process.permission.has("fs.read", "/nothing")')).toBe('true');
    expect(evaluate('process.permission.has("fs.read", "/etc/passwd")')).toBe('false');
  });

  it('disable warnings', () => {
    const flags = nodeFlags({ jit: false, readable: [] });
    expect(spawnSync(process.execPath, [...flags, '--eval', '0'], { encoding: 'utf8' }).stderr).toBe('');
  });
});
