import { tags } from '../routes/tags.js';
import type { Route } from '../routes/route.js';
import { escaped, htmlPage, htmlText } from './html-page.js';
import { slugOf, topics } from './introduction.js';

/** All endpoints with what they do, for browsers without scripts and servers without the console. Served at `/docs`. */
export const htmlReference = (routes: readonly Route[]): string =>
  htmlPage('Almanac', 0, [
    '<h1>API reference</h1>',
    '<p>The document: <a href="openapi.json">openapi.json</a>. For language models: <a href="llms.txt">llms.txt</a>.</p>',
    '<ul>',
    ...topics.map((topic) => `<li><a href="docs/about/${slugOf(topic)}">${escaped(topic.title)}</a></li>`),
    '<li><a href="docs/errors">Errors</a></li>',
    '</ul>',
    ...Object.entries(tags).flatMap(([name, text]) => [
      `<h2>${escaped(name)}</h2>`,
      `<p>${htmlText(text)}</p>`,
      '<ul>',
      ...routes.filter(({ operation }) => operation.doc.tag === name).map(itemOf),
      '</ul>',
    ]),
  ]);

const itemOf = ({ method, path, operation }: Route): string =>
  `<li><code>${method.toUpperCase()} /api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}</code>: ${escaped(operation.doc.summary)}</li>`;
