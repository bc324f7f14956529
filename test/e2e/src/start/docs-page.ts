import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const options = z.looseObject({
  spec: z.looseObject({
    info: z.looseObject({ title: z.string() }),
    paths: z.record(z.string(), z.record(z.string(), z.looseObject({ parameters: z.array(z.unknown()).optional() }))),
  }),
  persistAuthorization: z.boolean(),
  requestSnippetsEnabled: z.boolean(),
  requestSnippets: z.object({ generators: z.record(z.string(), z.object({ title: z.string() })) }),
  plugins: z.array(z.looseObject({})),
});
export type PageOptions = z.output<typeof options>;

/**
 * Runs the script of the page at `/docs` as a browser does that has stored this key, and returns what it gives to
 * Swagger UI. The script's modules come from the server.
 */
export const openDocsPage = async (base: string, { key, folder }: { key: string | null; folder: string }) => {
  const page = await (await fetch(`${base}/docs`)).text();
  const modules = await mkdtemp(join(folder, 'docs-'));
  await writeFile(join(modules, 'package.json'), '{"type":"module"}');
  for (const name of ['start', 'examples', 'snippets']) {
    const response = await fetch(`${base}/docs/page/${name}.js`);
    await writeFile(join(modules, `${name}.js`), await response.text());
  }
  const nodeFetch = globalThis.fetch;
  let given: unknown;
  const stored = key === null ? null : JSON.stringify({ bearer: { name: 'bearer', value: key } });
  const browser = {
    fetch: (address: string, init?: RequestInit) => nodeFetch(new URL(address, `${base}/docs`), init),
    localStorage: { getItem: (name: string) => (name === 'authorized' ? stored : null) },
    SwaggerUIBundle: (passed: unknown) => void (given = passed),
  };
  const names = Object.keys(browser);
  const before = new Map(names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  try {
    for (const [name, value] of Object.entries(browser)) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
    await import(pathToFileURL(join(modules, 'start.js')).href);
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
  }
  return { page, options: options.parse(given) };
};

const snippetPlugin = z.object({ fn: z.record(z.string(), z.custom<(request: unknown) => string>()) });

/** The code that the page shows for a request, in a language. */
export const snippetOf = (
  { plugins }: PageOptions,
  language: string,
  request: { url: string; method: string; headers: Readonly<Record<string, string>>; body?: string },
): string => {
  const generators = plugins.flatMap((plugin) => {
    const parsed = snippetPlugin.safeParse(plugin);
    return parsed.success ? [parsed.data.fn[`requestSnippetGenerator_${language}`]] : [];
  });
  const [generate] = generators;
  if (generate === undefined) throw new Error(`the page has no generator for ${language}`);
  const { headers, ...rest } = request;
  return generate(new Map<string, unknown>([...Object.entries(rest), ['headers', { toJS: () => headers }]]));
};
