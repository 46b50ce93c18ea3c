// Stands in for the package `react-style-singleton`, which keeps the page behind a dialog from scrolling by a `<style>` element.
import { useInsertionEffect } from 'react';
import { adoptSheet } from './adopted-sheet.ts';

/** Makes a component whose rules are in force once, however often it is shown. */
export function styleSingleton() {
  let shown = 0;
  let remove = () => {};
  const show = (css: string) => {
    if (shown === 0) remove = adoptSheet(css);
    shown += 1;
    return () => {
      shown -= 1;
      if (shown === 0) remove();
    };
  };
  // biome-ignore lint/correctness/noComponentHookFactories: the form that the package has
  return function Sheet({ styles }: { readonly styles: string }): null {
    useInsertionEffect(() => show(styles), [styles]);
    return null;
  };
}
