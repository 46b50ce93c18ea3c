// Builds the admin page into `dist/admin`. Nothing of it needs a policy that allows inline styles: libraries that would write
// `<style>` elements are given style sheets that are made by script instead.
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const own = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Modules of libraries that write `<style>` elements, and what stands in for them. */
const REPLACED: readonly (readonly [ending: RegExp, replacement: string])[] = [
  [/\/@mantine\/core\/esm\/core\/InlineStyles\/InlineStyles\.mjs$/, './src/styles/inline-styles.tsx'],
  [/\/react-style-singleton\/.*\/index\.js$/, './src/styles/style-singleton.ts'],
];

function styleSheets(): Plugin {
  return {
    name: 'style-sheets',
    enforce: 'pre',
    load(id) {
      const found = REPLACED.find(([ending]) => ending.test(id.split('?')[0] ?? ''));
      return found === undefined ? null : `export * from ${JSON.stringify(own(found[1]))};`;
    },
  };
}

export default defineConfig({
  root: own('.'),
  base: '/admin/',
  cacheDir: own('../.cache/vite'),
  plugins: [styleSheets()],
  build: {
    outDir: own('../dist/admin'),
    emptyOutDir: true,
    assetsDir: 'assets',
    // The policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    license: { fileName: 'licences.md' },
    reportCompressedSize: false,
    // The editor is larger, and loaded when one is shown.
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      onwarn(warning, warn) {
        // "use client", which means something to servers that render pages.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: { proxy: { '^/(?!admin)': 'http://127.0.0.1:8001' } },
});
