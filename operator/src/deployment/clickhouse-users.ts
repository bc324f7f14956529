import { clickHouseRights, clickHouseRightsOnCluster, clickHouseServices } from '@almanac/clickhouse';
import { clickHouseGrants } from '@almanac/local-servers';

interface User {
  readonly name: string;
  readonly grants: readonly string[];
}

const rebuilt = [...clickHouseRights.catalog.write, ...clickHouseRights.export.write].flatMap((table) => [
  // Exchanging two tables needs this right on both, as if each were dropped and created.
  `GRANT DROP TABLE ON default.${table}`,
  `GRANT DROP TABLE, OPTIMIZE ON default.${table}_rebuild`,
  `GRANT DROP VIEW ON default.${table}_rebuild_tail`,
]);

/** BACKUP and RESTORE write to a bucket, and report their progress in a system table. */
const backups = ['GRANT BACKUP ON default.*', 'GRANT S3 ON *.*', 'GRANT SELECT ON system.backups'];

/** Only this user changes the schema. It may drop read models, which a rebuild recreates, but not observations. */
const migrations = [
  'GRANT SELECT, INSERT, CREATE TABLE, CREATE VIEW, ALTER TABLE ON default.*',
  ...rebuilt,
  ...backups,
];

/**
 * `ON CLUSTER` and the engine Distributed need a right on all tables. ClickHouse has no narrower one. A backup asks all
 * servers for its progress by a table function, for which ClickHouse also demands the right to a temporary table.
 */
const changesOfCluster = ['GRANT CLUSTER, REMOTE, CREATE TEMPORARY TABLE ON *.*'];

const usersOf = (isCluster: boolean): readonly User[] => [
  { name: 'migrate', grants: [...migrations, ...(isCluster ? changesOfCluster : [])] },
  ...clickHouseServices.map((name) => {
    const tables = clickHouseRights[name];
    return { name, grants: clickHouseGrants({ tables: isCluster ? clickHouseRightsOnCluster(tables) : tables }) };
  }),
];

/**
 * The longest value of a parameter, such as the tickers of a day of a strike ladder or the gaps of an event's markets: as
 * long as a URL. ClickHouse's default is 128 KB. It reads this setting only from the profile `default` of the server.
 */
const valueBytesMax = 1_048_576;

const clickHousePasswordVariable = (user: string): string => `CLICKHOUSE_PASSWORD_${user.toUpperCase()}`;

/** ClickHouse's `users.d` file: every user with exactly its tables. */
export const clickHouseUsersFile = ({
  isCluster,
}: {
  isCluster: boolean;
}): string => `<!-- Made by \`npm run deploy:make\` from libs/clickhouse/src/rights.ts; do not edit. -->
<clickhouse>
  <profiles>
    <default>
      <http_max_field_value_size>${valueBytesMax}</http_max_field_value_size>
    </default>
  </profiles>
  <users>
${usersOf(isCluster).map(userElement).join('\n')}
  </users>
</clickhouse>
`;

const userElement = ({ name, grants }: User): string => `    <${name}>
      <password from_env="${clickHousePasswordVariable(name)}"/>
      <networks>
        <ip>::/0</ip>
      </networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
${grants.map((grant) => `        <query>${grant}</query>`).join('\n')}
      </grants>
    </${name}>`;
