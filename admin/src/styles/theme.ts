// Colours and sizes. The shades are those whose contrast with their background is at least 4.5 to 1, in light and dark.
import {
  type CSSVariablesResolver,
  convertCssVariables,
  createTheme,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  type MantineTheme,
  mergeMantineTheme,
} from '@mantine/core';

const override = createTheme({
  primaryShade: { light: 8, dark: 8 },
  cursorType: 'pointer',
  // Whoever wants no motion on the screen gets none.
  respectReducedMotion: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, monospace',
  headings: {
    sizes: { h1: { fontSize: '1.6rem' }, h2: { fontSize: '1.25rem' }, h3: { fontSize: '1.1rem' } },
  },
});

export const theme: MantineTheme = mergeMantineTheme(DEFAULT_THEME, override);

const resolve: CSSVariablesResolver = (given) => {
  const { variables, light, dark } = defaultCssVariablesResolver(given);
  return {
    variables,
    light: {
      ...light,
      '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
      '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
      '--mantine-color-error': 'var(--mantine-color-red-9)',
      '--mantine-color-anchor': 'var(--mantine-color-blue-8)',
    },
    dark: {
      ...dark,
      '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
      '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
      '--mantine-color-error': 'var(--mantine-color-red-4)',
      '--mantine-color-anchor': 'var(--mantine-color-blue-3)',
    },
  };
};

/** The variables that the style sheets of Mantine read. */
export const themeCss = (): string => convertCssVariables(resolve(theme), ':root');
