import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ignoreOutputErrors } from '../ignore-output-errors.js';
import { parseSettings } from './settings.js';
import { openEngine } from './engine.js';
import { partBrokenSinceStart } from './broken-part.js';
import { isFatal } from './errors.js';
import { makeServer } from './server.js';

ignoreOutputErrors();
const { dir, port, users, engineArguments } = parseSettings(process.env);
await mkdir(dir, { recursive: true });
// The same file as for the real server.
const configuration = fileURLToPath(new URL('../../../../deploy/clickhouse/config.d/almanac.xml', import.meta.url));
const end = (why: string): void => {
  console.error(`${why} This process ends.`);
  process.exit(1);
};
const engine = await openEngine(dir, {
  engineArguments: engineArguments ?? [`--config-file=${configuration}`],
  onError: ({ code, text }) => {
    if (isFatal(code)) end('The ClickHouse engine has aborted and answers nothing more.');
    const part = partBrokenSinceStart(text);
    if (part !== undefined) end(`The part ${part} is broken. The next start sets it aside and uses its sources.`);
  },
});
const server = await makeServer(engine, users);
server.listen({ port, host: '127.0.0.1' });
await once(server, 'listening');
console.log(`ClickHouse answers on http://127.0.0.1:${port}, data in ${dir}`);

process.once('SIGTERM', () => {
  server.close(() => void engine.close().then(() => process.exit(0)));
  server.closeIdleConnections();
  // Long streams are cut. Their readers see a broken connection, and the data on disk stays intact.
  setTimeout(() => server.closeAllConnections(), 1_000).unref();
});
