// The kernel's interpreter of filters, as far as ours use it: says what becomes of a system call.

export type Verdict = 'allow' | 'kill' | { readonly errno: number };

interface Call {
  readonly number: number;
  readonly audit: number;
  readonly args?: readonly bigint[];
}

function dataOf({ number, audit, args = [] }: Call): DataView {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, audit, true);
  for (const [index, value] of args.entries()) {
    data.setBigUint64(16 + 8 * index, BigInt.asUintN(64, value), true);
  }
  return data;
}

function verdictOf(value: number): Verdict {
  if (value === 0x7fff0000) return 'allow';
  if (value === 0x80000000) return 'kill';
  if (value >>> 16 === 0x0005) return { errno: value & 0xffff };
  throw new Error(`unknown answer ${value.toString(16)}`);
}

function isTaken(code: number, accumulator: number, value: number): boolean {
  if (code === 0x15) return accumulator === value;
  if (code === 0x35) return accumulator >= value;
  if (code === 0x45) return (accumulator & value) !== 0;
  throw new Error(`unknown instruction ${code.toString(16)}`);
}

/** Throws when the program leaves its own end, or knows an instruction that this does not. */
export function decide(program: Uint8Array, call: Call): Verdict {
  const data = dataOf(call);
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const operation = code.getUint16(at, true);
    const value = code.getUint32(at + 4, true);
    if (operation === 0x06) return verdictOf(value);
    if (operation === 0x20) accumulator = data.getUint32(value, true);
    else at += 8 * code.getUint8(at + (isTaken(operation, accumulator, value) ? 2 : 3));
  }
  throw new Error('the program ran past its end');
}
