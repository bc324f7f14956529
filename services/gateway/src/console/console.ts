import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, sep } from 'node:path';
import type { RequestHandler } from 'express';
import { HttpError, pathNotFound } from '../http/error-response.js';
import { writeHead } from '../http/reply.js';
import { immutable, revalidateAlways, staticFileHandler } from '../http/static-file.js';

export const consolePath = '/console';

export interface WebConsole {
  readonly isBuilt: boolean;
  /** Answers GET for `/console` and each path below it. */
  readonly answer: RequestHandler;
}

/** The build of `clients/console`, or undefined if this installation does not have the package. */
export const builtConsole = (): string | undefined => {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@almanac/console/package.json')), 'dist', 'site');
  } catch {
    return undefined;
  }
};

/**
 * Serves the web console from a folder. The names of its files are read once, so a request never becomes a path of the
 * file system. A path that is no file shows the page, which finds its screen by the address.
 */
export const webConsole = (folder: string | undefined): WebConsole => {
  if (folder === undefined || !existsSync(join(folder, page))) return { isBuilt: false, answer: notBuilt };
  const files = new Map(filesIn(folder).map((name) => [`${consolePath}/${name}`, handlerOf(folder, name)]));
  const index = handlerOf(folder, page);
  return {
    isBuilt: true,
    answer: (request, response, next) => {
      const { path } = request;
      const file = files.get(path);
      if (file === undefined && path.startsWith(assets)) throw pathNotFound();
      return (file ?? index)(request, response, next);
    },
  };
};

/** Leads a browser from the root to a page. Other clients get 404, as at every path that does not exist. */
export const browsersTo =
  (location: string): RequestHandler =>
  (request, response, next) => {
    if (request.headers.accept?.includes('text/html') !== true) {
      next();
      return;
    }
    // Relative, because a proxy may serve everything under a path.
    const headers = { Location: location, Vary: 'Accept', 'Cache-Control': revalidateAlways, 'Content-Length': 0 };
    writeHead(response, 302, headers).end();
  };

const page = 'index.html';
/** Vite names these files by their content. An old page that requests an old one must not get HTML. */
const assets = `${consolePath}/assets/`;

const notBuilt: RequestHandler = () => {
  const detail = 'This server was started without the web console. Run `npm start` or use its image, which build it.';
  throw new HttpError('not_found', { detail });
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) in types)
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    );

const handlerOf = (folder: string, name: string): RequestHandler =>
  staticFileHandler({
    type: types[extname(name)] ?? 'application/octet-stream',
    cacheControl: name.startsWith('assets/') ? immutable : revalidateAlways,
    headers: extname(name) === '.html' ? { ...everyFile, ...guarded } : everyFile,
    read: () => readFile(join(folder, name)),
  });

/** Files of other types, such as source maps, are not served. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

const everyFile = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'same-origin' };

/** The page runs only its own scripts, connects only to this gateway, submits no form, and cannot be framed. */
const guarded = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};
