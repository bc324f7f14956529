import type { ErrorResponse } from '../http/error-response.js';
import { type Code, type Failure, failures, requestIdExample } from './failures.js';
import { escaped, htmlPage, htmlText } from './html-page.js';
import type { Topic } from './introduction.js';

/** The page of one error code. */
export interface ErrorPage {
  readonly code: string;
  readonly status: number;
  readonly summary: string;
  readonly sections: readonly { readonly title: string; readonly text: string }[];
  readonly example: string;
}

const pageOf = ({ code, meaning, cause, remedy, refusal }: Failure): ErrorPage => ({
  code,
  status: refusal.status,
  summary: meaning,
  sections: [
    { title: 'Meaning', text: meaning },
    { title: 'Cause', text: cause },
    { title: 'What to do', text: remedy },
  ],
  example: exampleOf(refusal),
});

const exampleOf = ({ status, headers, body }: ErrorResponse): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const whole = { ...body, request_id: requestIdExample };
  return [
    `HTTP/1.1 ${status}`,
    ...lines,
    'Content-Type: application/json',
    '',
    JSON.stringify(whole, undefined, 2),
  ].join('\n');
};

export const errorPages: readonly ErrorPage[] = failures
  .toSorted((one, other) => (one.code < other.code ? -1 : 1))
  .map(pageOf);

/** Relative to `/docs` and `/openapi.json`, so that links also work under a proxy's path. */
export const errorPageLink = (code: Code): string => `[\`${code}\`](docs/errors/${code})`;

const heading = 'Errors';
const introduction =
  'An error answer has a `code` that never changes, a `detail` for people, and the `request_id`. The `detail` of status 422 is a list of fields: each item names the field in `loc` and the problem in `msg`. `notices` can have a hint, such as the nearest known name.';

const made =
  '<!-- Made by `npm run docs:make` from libs/contracts/src/errors/ and services/gateway/src/http/http-errors.ts; do not edit. -->';

export const markdownOf = ({ code, status, sections, example }: ErrorPage): string =>
  [
    made,
    `# \`${code}\``,
    `HTTP status ${status}`,
    ...sections.map(({ title, text }) => `## ${title}\n\n${text}`),
    `## Example\n\n\`\`\`http\n${example}\n\`\`\``,
    '[All errors](README.md)\n',
  ].join('\n\n');

export const markdownIndex = (): string =>
  [
    made,
    `# ${heading}`,
    introduction,
    errorPages.map(({ code, status, summary }) => `- [\`${code}\`](${code}.md) (${status}): ${summary}`).join('\n'),
  ].join('\n\n') + '\n';

/** One page as HTML, served at `/docs/errors/<code>`. */
export const htmlOf = ({ code, status, sections, example }: ErrorPage): string =>
  htmlPage(`Error ${code}`, 2, [
    `<h1><code>${code}</code></h1>`,
    `<p>HTTP status ${status}</p>`,
    ...sections.map(({ title, text }) => `<h2>${title}</h2>\n<p>${htmlText(text)}</p>`),
    `<h2>Example</h2>\n<pre>${escaped(example)}</pre>`,
    '<p><a href="../errors">All errors</a>, <a href="../../docs">API reference</a></p>',
  ]);

/** Served at `/docs/errors`. */
export const htmlIndex = (): string =>
  htmlPage(heading, 1, [
    `<h1>${heading}</h1>`,
    `<p>${htmlText(introduction)}</p>`,
    '<ul>',
    ...errorPages.map(
      ({ code, status, summary }) =>
        `<li><a href="errors/${code}"><code>${code}</code></a> (${status}): ${htmlText(summary)}</li>`,
    ),
    '</ul>',
    '<p><a href="../docs">API reference</a></p>',
  ]);

/** Served at `/docs/about/<slug>`. */
export const htmlOfTopic = ({ title, text }: Topic): string =>
  htmlPage(title, 2, [
    `<h1>${escaped(title)}</h1>`,
    ...text.split('\n\n').map((paragraph) => `<p>${htmlText(paragraph)}</p>`),
    '<p><a href="../../docs">API reference</a></p>',
  ]);
