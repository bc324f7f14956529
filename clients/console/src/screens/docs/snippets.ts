/** A request of the reference. The key comes from the environment of whoever runs the code. */
export interface ShownRequest {
  readonly url: string;
  readonly method: string;
  readonly body: string | undefined;
}

/** JSON text is also a valid literal of Python, JavaScript and Go. */
const literal = (text: string): string => JSON.stringify(text);

/** In single quotes nothing has a meaning for the shell, but the quote itself. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const curlOf = ({ url, method, body }: ShownRequest): string =>
  [
    `curl -X ${method} ${shellQuoted(url)}`,
    '-H "Authorization: Bearer $ALMANAC_API_KEY"',
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data-raw ${shellQuoted(body)}`]),
  ].join(' \\\n  ');

/** With the standard library, so that it runs without an installation. */
export const pythonOf = ({ url, method, body }: ShownRequest): string => `import os
from urllib.request import Request, urlopen

request = Request(
    ${literal(url)},
    method=${literal(method)},
    headers={
        "Authorization": "Bearer " + os.environ["ALMANAC_API_KEY"],
${body === undefined ? '' : '        "Content-Type": "application/json",\n'}    },
${body === undefined ? '' : `    data=${literal(body)}.encode(),\n`})
with urlopen(request) as response:
    print(response.read().decode())`;

/** For Node. */
export const javascriptOf = ({
  url,
  method,
  body,
}: ShownRequest): string => `const response = await fetch(${literal(url)}, {
  method: ${literal(method)},
  headers: {
    Authorization: \`Bearer \${process.env.ALMANAC_API_KEY}\`,
${body === undefined ? '' : "    'Content-Type': 'application/json',\n"}  },
${body === undefined ? '' : `  body: ${literal(body)},\n`}});
console.log(await response.text());`;

export const goOf = ({ url, method, body }: ShownRequest): string => `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
${body === undefined ? '' : '\t"strings"\n'})

func main() {
	request, err := http.NewRequest(${literal(method)}, ${literal(url)}, ${body === undefined ? 'nil' : `strings.NewReader(${literal(body)})`})
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ALMANAC_API_KEY"))
${body === undefined ? '' : '\trequest.Header.Set("Content-Type", "application/json")\n'}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}`;

export const snippetLanguages = ['curl', 'Python', 'JavaScript', 'Go'] as const;
export const snippetOf = { curl: curlOf, Python: pythonOf, JavaScript: javascriptOf, Go: goOf } as const;
