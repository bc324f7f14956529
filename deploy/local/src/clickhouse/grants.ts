import { fullName, type ClickHouseUser } from './access.js';

/** The GRANTs, without grantee, that give a user the same rights on a real server. */
export const clickHouseGrants = ({
  readonly = false,
  tables,
}: Pick<ClickHouseUser, 'readonly' | 'tables'>): string[] => {
  if (tables === undefined) return [readonly ? 'GRANT SELECT ON *.*' : 'GRANT ALL ON *.*'];
  const named = (names: readonly string[]): string[] => names.map((name) => fullName(name, 'default'));
  return [
    ...named([...tables.read, ...tables.write]).map((table) => `GRANT SELECT ON ${table}`),
    ...(readonly ? [] : named(tables.write).map((table) => `GRANT INSERT ON ${table}`)),
  ];
};
