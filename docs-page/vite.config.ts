// Builds the page of the API description into `dist/docs`. Its policy allows no `data:` addresses, in which the style sheet of
// Swagger UI has its pictures: they are left out, and `page.css` draws what they showed.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const own = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const library = (name: string) => own(`../node_modules/swagger-ui-dist/${name}`);

const DATA_ADDRESS = /url\((?:"data:(?:[^"\\]|\\.)*"|data:[^)]*)\)/g;

function withoutDataAddresses(): Plugin {
  return {
    name: 'without-data-addresses',
    enforce: 'pre',
    transform: (code, id) =>
      id.split('?')[0]?.endsWith('/swagger-ui.css') ? code.replace(DATA_ADDRESS, 'none') : null,
  };
}

/** Licences of what is bundled in Swagger UI: the build sees one package. */
function licences(): Plugin {
  const files = ['NOTICE', 'LICENSE', 'swagger-ui-es-bundle.js.LICENSE.txt'];
  return {
    name: 'licences',
    generateBundle() {
      const source = files.map((name) => readFileSync(library(name), 'utf8')).join('\n\n');
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source });
    },
  };
}

export default defineConfig({
  root: own('.'),
  base: '/docs/',
  cacheDir: own('../.cache/vite-docs'),
  plugins: [withoutDataAddresses(), licences()],
  build: {
    outDir: own('../dist/docs'),
    emptyOutDir: true,
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
  server: { proxy: { '^/(?!docs/?$|docs/(src|assets|@|node_modules))': 'http://127.0.0.1:8001' } },
});
