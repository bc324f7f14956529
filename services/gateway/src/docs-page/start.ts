// Runs in the browser at /docs, after Swagger UI's own script. Addresses are relative, so that the page also works
// under a proxy's path.
import { type ExampleMarket, exampleMarketIn, storedKey, withExamples } from './examples.js';
import { javascriptOf, pythonOf, type ShownRequest } from './snippets.js';

/** What a browser and Swagger UI provide. */
declare const SwaggerUIBundle: (options: object) => unknown;
declare const localStorage: { getItem(name: string): string | null };
declare const location: { reload(): void };

/** Swagger UI's request. */
interface GivenRequest {
  get(name: 'url' | 'method' | 'body'): string | undefined;
  get(name: 'headers'): { toJS(): Record<string, string> } | undefined;
}

const keyInBrowser = (): string | null => storedKey(localStorage.getItem('authorized'));
const key = keyInBrowser();

const readJson = async (address: string): Promise<unknown> => {
  const response = await fetch(address, key === null ? {} : { headers: { Authorization: `Bearer ${key}` } });
  return response.ok ? response.json() : null;
};

/** A settled market if there is one, because all its data is stored. */
const exampleMarket = async (): Promise<ExampleMarket | null> => {
  if (key === null) return null;
  const settled = exampleMarketIn(await readJson('api/v1/markets?status=finalized&limit=1'));
  return settled ?? exampleMarketIn(await readJson('api/v1/markets?limit=1'));
};

const shown = (request: GivenRequest): ShownRequest => ({
  url: request.get('url') ?? '',
  method: request.get('method') ?? 'GET',
  headers: request.get('headers')?.toJS() ?? {},
  body: request.get('body') || undefined,
});

const snippets = {
  fn: {
    requestSnippetGenerator_python: (request: GivenRequest) => pythonOf(shown(request)),
    requestSnippetGenerator_javascript: (request: GivenRequest) => javascriptOf(shown(request)),
  },
};

/** Another key can read another archive, so the page loads its examples again. */
const reloadForAnotherKey = {
  statePlugins: {
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded:
          (original: (...given: unknown[]) => unknown) =>
          (...given: unknown[]) => {
            const result = original(...given);
            if (keyInBrowser() !== key) location.reload();
            return result;
          },
      },
    },
  },
};

const document: unknown = await (await fetch('openapi.json')).json();
SwaggerUIBundle({
  spec: withExamples(document, await exampleMarket().catch(() => null)),
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  persistAuthorization: true,
  requestSnippetsEnabled: true,
  requestSnippets: {
    languages: ['curl_bash', 'python', 'javascript'],
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      python: { title: 'Python', syntax: 'python' },
      javascript: { title: 'JavaScript', syntax: 'javascript' },
    },
  },
  plugins: [snippets, reloadForAnotherKey],
  validatorUrl: null,
});
