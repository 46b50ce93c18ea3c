// How a hostile program puts code off: statements after which code runs later, in the same time slice or in any other.
import type { Rules } from './values.ts';

export const LATE: Rules = {
  late: [
    [2, '$rejected;'],
    '$promise$tail;',
    'Promise.$combine([$value, $thenable, $value])$tail;',
    'Promise.$combine($asyncItems)$tail;',
    'Promise.resolve($value)$tail;',
    'Promise.resolve($thenable)$tail;',
    'Promise.try($function)$tail;',
    'Promise.prototype.$method.call($thenable, $function, $function);',
    '(async () => { $effects await $value; $effects })()$tail;',
    '(async () => { try { await $thenable; } catch { $effects } finally { $effects $leave } })()$tail;',
    '(async () => { for await (const item of $asyncItems) { $effects $leave } })()$tail;',
    '(async () => { for (const item of [$thenable, $value]) { await item; $effects } })()$tail;',
    '(async () => { await using one = { [Symbol.asyncDispose]() { $effects return $value; } }; $effects $leave })()$tail;',
    '(async () => { await using one = { [Symbol.dispose]() { $effects return $value; } }, two = null; $leave })()$tail;',
    `(async () => {
      const stack = new AsyncDisposableStack();
      stack.defer($function);
      stack.adopt($value, $function);
      stack.use({ [Symbol.asyncDispose]: $function });
      await stack.disposeAsync();
      $effects
    })()$tail;`,
    'Array.fromAsync($asyncItems, $function)$tail;',
    'Array.fromAsync($asyncItems)$tail;',
    `{
      const turns = (async function* () { try { $effects yield $value; yield $thenable; } finally { $effects $leave } })();
      turns.next($value);
      turns.$turn($value)$tail;
      turns.$turn($thenable);
    }`,
    '{ const turns = (async function* () { yield* $asyncItems; })(); turns.next(); turns.$turn($value)$tail; }',
    '{ const { promise, resolve, reject } = Promise.withResolvers(); held.push(resolve, reject); promise$tail; }',
    [2, '$heldNow'],
    [2, 'asyncAgain(() => { $effects }, $times);'],
    [2, 'asyncReject(() => { $effects }, $times);'],
    'queueMicrotask($function);',
    [2, 'queueMicrotask(() => { $effects });'],
    [2, 'setTimeout(() => { $effects }, 1);'],
    'setTimeout($function, 1);',
    'setTimeout(() => { $heldNow }, 1);',
    'setTimeout($function, $looked);',
    'setImmediate($function);',
    '{ const timer = setInterval(() => { $effects if ((steps += 1) > $few) clearInterval(timer); }, 1); }',
    'clearTimeout(setTimeout($function, 1));',
    "Model('books').find({})$tail;",
    "Model('books').count((...all) => { $effects });",
    "Model('books').create({ title: $value })$tail;",
    "fetch('https://example.com/')$tail;",
    "fetch('https://example.com/').then((answer) => answer.json())$tail;",
    "crypto.subtle.digest('SHA-256', new Uint8Array(8))$tail;",
  ],
  /** It waits: the rest of it runs in other time slices, if at all. */
  later: [
    [3, 'setTimeout(() => { $effects $late }, 1);'],
    'setInterval(() => { $effects }, 1);',
    'setTimeout(() => { $effects setTimeout(() => { $late answer(secret); }, 1); }, 1);',
    "Model('books').find({}).then(() => { $effects $late });",
  ],
  heldNow: ['for (const settle of held) settle($value);', 'for (const settle of held) settle($thenable);'],
  combine: ['all', 'race', 'any', 'allSettled'],
  method: ['then', 'catch', 'finally'],
  turn: ['next', 'return', 'throw'],
  tail: [
    [4, ''],
    '.then($function)',
    '.then($function, $function)',
    '.then(() => { $effects })',
    '.then($value)',
    '.catch($function)',
    '.finally($function)',
    '.finally(() => { $effects })$tail',
    '.then($function)$tail',
  ],
  asyncItems: [
    `({
      [Symbol.asyncIterator]() {
        $effects
        return { next() { $effects return $step; }, return() { $effects return $value; }, throw() { $effects return $value; } };
      },
    })`,
    '({ [Symbol.asyncIterator]: async function* () { $effects yield $value; try { yield $thenable; } finally { $effects } } })',
    '({ get [Symbol.asyncIterator]() { $effects return $function; } })',
    '[$value, $thenable]',
    'new Set([$thenable, $value])',
    '(function* () { try { yield $thenable; yield $value; } finally { $effects } })()',
  ],
};
