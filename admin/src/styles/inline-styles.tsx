// Stands in for the component of Mantine that writes `<style>` elements (for style props that depend on the width of the window).
import { type InlineStylesInput, stylesToString } from '@mantine/core';
import { useInsertionEffect } from 'react';
import { adoptSheet } from './adopted-sheet.ts';

export function InlineStyles({ selector, styles, media, container }: InlineStylesInput): null {
  const css = stylesToString({
    selector,
    ...(styles !== undefined && { styles }),
    ...(media !== undefined && { media }),
    ...(container !== undefined && { container }),
  });
  useInsertionEffect(() => adoptSheet(css), [css]);
  return null;
}
