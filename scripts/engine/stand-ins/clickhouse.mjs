// A stand-in for the image of ClickHouse: the front of local/servers on the image's port and folder, with the users of the
// image's files and variables.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { openEngine } from './dist/clickhouse/engine.js';
import { makeServer } from './dist/clickhouse/server.js';

const folder = '/var/lib/clickhouse';
const usersFolder = '/etc/clickhouse-server/users.d';
const configuration = '/etc/clickhouse-server/config.d/almanac.xml';

/** The users of a file as `npm run deploy:make` writes it. Each grant names one table, or is the operator's. */
const usersOf = (xml) =>
  [...xml.matchAll(/^ {4}<(\w+)>\n([^]*?)^ {4}<\/\1>/gm)].flatMap(([, user, body]) => {
    const [, variable] = /<password from_env="(\w+)"/.exec(body) ?? [];
    if (variable === undefined) return [];
    const password = process.env[variable];
    if (!password) throw new Error(`${variable} is not set.`);
    const grants = [...body.matchAll(/<query>GRANT ([^<]*) ON ([^<]*)<\/query>/g)];
    if (grants.some(([, rights]) => rights.includes('CREATE TABLE'))) return [{ user, password }];
    const tables = (right) => grants.filter(([, rights]) => rights.includes(right)).map(([, , table]) => table);
    return [{ user, password, tables: { read: tables('SELECT'), write: tables('INSERT') } }];
  });

const fromFiles = () => {
  try {
    const files = readdirSync(usersFolder).filter((name) => name.endsWith('.xml'));
    return files.flatMap((name) => usersOf(readFileSync(`${usersFolder}/${name}`, 'utf8')));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
};

const fromVariables = () =>
  process.env.CLICKHOUSE_USER
    ? [{ user: process.env.CLICKHOUSE_USER, password: process.env.CLICKHOUSE_PASSWORD ?? '' }]
    : [];

mkdirSync(folder, { recursive: true });
const engine = await openEngine(folder, {
  // As in the true image, a container may mount no file there.
  engineArguments: existsSync(configuration) ? [`--config-file=${configuration}`] : [],
  onError: ({ text }) => console.error(`The engine reports: ${text}`),
});
const server = await makeServer(engine, [...fromFiles(), ...fromVariables()]);
server.listen({ port: 8123, host: '0.0.0.0' }, () => console.log('STAND-IN for ClickHouse: answers on port 8123'));

process.once('SIGTERM', () => {
  server.close(() => void engine.close().then(() => process.exit(0)));
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), 1_000).unref();
});
