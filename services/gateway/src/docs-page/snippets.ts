/** A request of the page at `/docs`. */
export interface ShownRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** JSON text is also a valid literal of Python and JavaScript. */
const literal = (text: string): string => JSON.stringify(text);

const headerLines = ({ headers }: ShownRequest, indent: string): string =>
  Object.entries(headers)
    .map(([name, value]) => `${indent}${literal(name)}: ${literal(value)},\n`)
    .join('');

/** Python with its standard library, so that it runs without an installation. */
export const pythonOf = (request: ShownRequest): string => `from urllib.request import Request, urlopen

request = Request(
    ${literal(request.url)},
    method=${literal(request.method)},
    headers={
${headerLines(request, ' '.repeat(8))}    },
${request.body === undefined ? '' : `    data=${literal(request.body)}.encode(),\n`})
with urlopen(request) as response:
    print(response.read().decode())`;

/** JavaScript for Node and browsers. */
export const javascriptOf = (request: ShownRequest): string => `const response = await fetch(${literal(request.url)}, {
  method: ${literal(request.method)},
  headers: {
${headerLines(request, ' '.repeat(4))}  },
${request.body === undefined ? '' : `  body: ${literal(request.body)},\n`}});
console.log(await response.text());`;
