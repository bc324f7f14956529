import { defineConfig } from 'vite';

/** A running gateway, for `npm run dev`. */
const gateway = process.env.ALMANAC_GATEWAY ?? 'http://127.0.0.1:8080';

/**
 * The gateway serves everything from its own address under a strict Content-Security-Policy: no inline script or
 * style, and no `data:` address.
 */
// oxlint-disable-next-line import/no-default-export -- Vite reads the default export.
export default defineConfig({
  base: '/console/',
  build: {
    // `tsc -b` writes the compiled unit tests to dist itself.
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: true,
    reportCompressedSize: false,
    // The licences of what is bundled, at `/console/licenses.md`.
    license: { fileName: 'licenses.md' },
    // Vite's own report of large files; test/console measures the first load.
    chunkSizeWarningLimit: 300,
    rolldownOptions: {
      // A mark for React's servers, which are not used here.
      onwarn: (warning, report) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') report(warning);
      },
    },
  },
  server: {
    port: 5173,
    proxy: {
      '/api': { target: gateway },
      '/auth': { target: gateway },
      '/docs': { target: gateway },
      '/openapi.json': { target: gateway },
      '/readyz': { target: gateway },
    },
  },
});
