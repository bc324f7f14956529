import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { writeHead } from '../http/reply.js';
import type { Route } from '../routes/route.js';
import { openApiOf } from './document.js';
import { errorPages, htmlIndex, htmlOf, htmlOfTopic } from './error-pages.js';
import { slugOf, topics } from './introduction.js';
import { modelPages } from './language-model-pages.js';
import { staticFileHandler, revalidateAlways, immutable, type StaticFile } from '../http/static-file.js';

/** A path outside of `/api/v1` with its handler for GET. */
export interface Page {
  readonly path: string;
  readonly answer: RequestHandler;
}

/** `/openapi.json`, a page to read it at `/docs`, its subjects, error codes and texts for language models. All without a key. */
export const documentation = (routes: readonly Route[]): readonly Page[] => {
  const whole = openApiOf(routes);
  const document = Buffer.from(JSON.stringify(whole));
  const reader = swaggerUi();
  return [
    page('/openapi.json', { type: 'application/json', cacheControl: revalidateAlways, read: () => document }),
    htmlFile('/docs', reader.html),
    { path: '/docs/', answer: toPage },
    ...pageModules,
    ...reader.files,
    ...modelPages(whole).map(({ path, text }) => textFile(path, text)),
    ...topics.map((topic) => htmlFile(`/docs/about/${slugOf(topic)}`, htmlOfTopic(topic))),
    htmlFile('/docs/errors', htmlIndex()),
    ...errorPages.map((one) => htmlFile(`/docs/errors/${one.code}`, htmlOf(one))),
  ];
};

/** Addresses are relative to `/docs`, and so is this one, because a proxy may serve everything under a path. */
const toPage: RequestHandler = (_request, response) => {
  writeHead(response, 308, { Location: '../docs', 'Cache-Control': revalidateAlways, 'Content-Length': 0 }).end();
};

const javascript = 'text/javascript; charset=utf-8';

const page = (path: string, file: StaticFile): Page => ({
  path,
  answer: staticFileHandler({ ...file, headers: { 'X-Content-Type-Options': 'nosniff', ...file.headers } }),
});

const textFile = (path: string, text: string): Page =>
  page(path, { type: 'text/plain; charset=utf-8', cacheControl: revalidateAlways, read: () => Buffer.from(text) });

const htmlFile = (path: string, html: string): Page =>
  page(path, {
    type: 'text/html; charset=utf-8',
    cacheControl: revalidateAlways,
    headers: guarded,
    read: () => Buffer.from(html),
  });

/** The page runs only its own scripts, connects only to this gateway, and cannot be framed. */
const guarded = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

/** The compiled modules of `docs-page/`, which run in the browser. */
const pageModules = ['start', 'examples', 'snippets'].map((name) =>
  page(`/docs/page/${name}.js`, {
    type: javascript,
    cacheControl: revalidateAlways,
    read: () => readFile(new URL(`../docs-page/${name}.js`, import.meta.url)),
  }),
);

/** The served files of the library. Its own page, which loads from the network, is not served. */
const served = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': javascript,
  'favicon-32x32.png': 'image/png',
};

const swaggerUi = () => {
  const packageFile = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(packageFile, 'utf8')));
  const files = Object.entries(served).map(([name, type]) =>
    page(`/docs/${version}/${name}`, {
      type,
      cacheControl: immutable,
      read: () => readFile(join(dirname(packageFile), name)),
    }),
  );
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Almanac</title>
    <link rel="icon" type="image/png" sizes="32x32" href="docs/${version}/favicon-32x32.png">
    <link rel="stylesheet" href="docs/${version}/swagger-ui.css">
    <script defer src="docs/${version}/swagger-ui-bundle.js"></script>
    <script type="module" src="docs/page/start.js"></script>
  </head>
  <body>
    <p>Choose <b>Authorize</b> and paste an API key. This browser stores it, and the page fills in a market of the archive.</p>
    <div id="reference"></div>
    <noscript>The document itself: <a href="openapi.json">openapi.json</a></noscript>
  </body>
</html>
`;
  return { html, files };
};
