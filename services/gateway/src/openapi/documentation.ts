import type { RequestHandler } from 'express';
import { writeHead } from '../http/reply.js';
import type { Route } from '../routes/route.js';
import { openApiOf } from './document.js';
import { errorPages, htmlIndex, htmlOf, htmlOfTopic } from './error-pages.js';
import { htmlReference } from './html-reference.js';
import { pageStyle } from './html-page.js';
import { slugOf, topics } from './introduction.js';
import { modelPages } from './language-model-pages.js';
import { staticFileHandler, revalidateAlways, type StaticFile } from '../http/static-file.js';

/** A path outside of `/api/v1` with its handler for GET. */
export interface Page {
  readonly path: string;
  readonly answer: RequestHandler;
}

/**
 * `/openapi.json`, the reference at `/docs`, its subjects, error codes and texts for language models. All without a key. The
 * reference is a screen of the console. A server without the console has a list of the endpoints in its place.
 */
export const documentation = (routes: readonly Route[], hasConsole: boolean): readonly Page[] => {
  const whole = openApiOf(routes);
  const document = Buffer.from(JSON.stringify(whole));
  return [
    page('/openapi.json', { type: 'application/json', cacheControl: revalidateAlways, read: () => document }),
    hasConsole ? { path: '/docs', answer: toConsole } : htmlFile('/docs', htmlReference(routes)),
    { path: '/docs/', answer: toPage },
    page('/docs/page.css', { type: 'text/css; charset=utf-8', cacheControl: revalidateAlways, read: () => style }),
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

const toConsole: RequestHandler = (_request, response) => {
  writeHead(response, 302, { Location: 'console/docs', 'Cache-Control': revalidateAlways, 'Content-Length': 0 }).end();
};

const style = Buffer.from(pageStyle);

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

/** The pages run no script, load only from this gateway, and cannot be framed. */
const guarded = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};
