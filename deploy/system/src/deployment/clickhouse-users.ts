import { clickHouseRights } from '@almanac/clickhouse';
import { clickHouseGrants } from '@almanac/local';

interface User {
  readonly name: string;
  readonly profile: string;
  readonly grants: readonly string[];
}

const rebuilt = clickHouseRights.catalog.write.flatMap((table) => [
  // An exchange of two tables asks for this on both, as if each were made and dropped.
  `GRANT DROP TABLE ON default.${table}`,
  `GRANT DROP TABLE, OPTIMIZE ON default.${table}_rebuild`,
  `GRANT DROP VIEW ON default.${table}_rebuild_tail`,
]);

/**
 * The migrations' user is the only one that changes the schema. What it may drop is the catalogue's, which a rebuild
 * makes anew from its events; observations it may not.
 */
const migrations = ['GRANT SELECT, INSERT, CREATE TABLE, CREATE VIEW, ALTER TABLE ON default.*', ...rebuilt];

const users: readonly User[] = [
  { name: 'migrate', profile: 'default', grants: migrations },
  { name: 'catalog', profile: 'default', grants: clickHouseGrants({ tables: clickHouseRights.catalog }) },
  { name: 'timeseries', profile: 'default', grants: clickHouseGrants({ tables: clickHouseRights.timeseries }) },
  { name: 'export', profile: 'reader', grants: clickHouseGrants({ readonly: true, tables: clickHouseRights.export }) },
];

/** The variable that holds the password of a ClickHouse user. */
export const clickHousePasswordVariable = (user: string): string => `CLICKHOUSE_PASSWORD_${user.toUpperCase()}`;

/** ClickHouse's `users.d` file: every user with exactly its tables. `readonly` 2 reads only, but may send settings. */
export const clickHouseUsersFile =
  (): string => `<!-- Made by \`npm run deploy:make\` from libs/clickhouse/src/rights.ts; do not edit. -->
<clickhouse>
  <profiles>
    <reader>
      <readonly>2</readonly>
    </reader>
  </profiles>
  <users>
${users.map(userElement).join('\n')}
  </users>
</clickhouse>
`;

const userElement = ({ name, profile, grants }: User): string => `    <${name}>
      <password from_env="${clickHousePasswordVariable(name)}"/>
      <networks>
        <ip>::/0</ip>
      </networks>
      <profile>${profile}</profile>
      <quota>default</quota>
      <grants>
${grants.map((grant) => `        <query>${grant}</query>`).join('\n')}
      </grants>
    </${name}>`;
