import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { asyncApi } from './document.js';

/** `npm run docs:events`: the events of exports to browse, on this machine alone and without a network. */
const component = createRequire(import.meta.url).resolve;
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Almanac: events of exports</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="style.css">
  </head>
  <body>
    <div id="events"></div>
    <script src="component.js"></script>
    <script>
      fetch('asyncapi.json').then((answer) => answer.text()).then((schema) =>
        AsyncApiStandalone.render({ schema, config: { show: { sidebar: true } } }, document.getElementById('events')));
    </script>
  </body>
</html>
`;

const files: Readonly<Record<string, { type: string; read: () => Promise<Uint8Array> | string }>> = {
  '/': { type: 'text/html; charset=utf-8', read: () => page },
  '/asyncapi.json': { type: 'application/json', read: () => JSON.stringify(asyncApi()) },
  '/style.css': {
    type: 'text/css; charset=utf-8',
    read: () => readFile(component('@asyncapi/react-component/styles/default.min.css')),
  },
  '/component.js': {
    type: 'text/javascript; charset=utf-8',
    read: () => readFile(component('@asyncapi/react-component/browser/standalone/index.js')),
  },
};

const answer = async (path: string, response: ServerResponse): Promise<void> => {
  const file = files[path];
  if (file === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'Content-Type': file.type }).end(await file.read());
};

const server = createServer((request, response) => void answer(request.url ?? '/', response));
server.listen(Number(process.env['PORT'] ?? 8081), '127.0.0.1', () => {
  const at = server.address();
  const port = typeof at === 'object' && at !== null ? at.port : 0;
  process.stdout.write(`The events of exports: http://127.0.0.1:${port}/ (Ctrl-C ends it)\n`);
});
