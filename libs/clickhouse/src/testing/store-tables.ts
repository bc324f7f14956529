// Makes a folder with all tables, for ALMANAC_TEST_TABLES: node dist/testing/store-tables.js FOLDER
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { testServers } from '@almanac/testing';
import { connectClickHouse } from '../connect.js';
import { migrate } from '../migrate.js';

const [, , dir] = process.argv;
if (dir === undefined) throw new Error('Name the folder.');
await rm(dir, { recursive: true, force: true });
const login = { user: 'operator', password: randomUUID() };
const server = await (await testServers()).clickhouse({ dir, users: [login] });
const clickhouse = connectClickHouse({ url: server.url, username: login.user, password: login.password });
try {
  await migrate(clickhouse);
} finally {
  await clickhouse.close();
  await server.stop();
}
