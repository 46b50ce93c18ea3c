import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { nodeFlags } from '../../../src/sandbox-supervisor/isolation/node-flags.ts';

/** Evaluates an expression under the flags. */
function evaluate(expression: string, jit = false): string {
  const flags = nodeFlags({ jit, readable: ['/nothing'] });
  return spawnSync(process.execPath, [...flags, '--print', expression], { encoding: 'utf8' }).stdout.trim();
}

describe('the flags of a host', () => {
  it('take away the compiler, and WebAssembly with it, unless they are granted', () => {
    expect(evaluate('typeof WebAssembly')).toBe('undefined');
    expect(evaluate('typeof WebAssembly', true)).toBe('object');
  });

  it('take away evaluation and __proto__ from the realm of the host', () => {
    expect(evaluate('try { new Function("1") } catch (error) { error.name }')).toBe('EvalError');
    expect(evaluate('"__proto__" in {}')).toBe('false');
  });

  it('deny everything but what is named', () => {
    const asked = ['fs.write', 'child', 'worker', 'net', 'inspector', 'wasi'];
    expect(evaluate(`${JSON.stringify(asked)}.filter((scope) => process.permission.has(scope)).length`)).toBe(
      '0',
    );
    expect(evaluate('process.permission.has("fs.read", "/nothing")')).toBe('true');
    expect(evaluate('process.permission.has("fs.read", "/etc/passwd")')).toBe('false');
  });

  it('print no warnings', () => {
    const flags = nodeFlags({ jit: false, readable: [] });
    expect(spawnSync(process.execPath, [...flags, '--eval', '0'], { encoding: 'utf8' }).stderr).toBe('');
  });
});
