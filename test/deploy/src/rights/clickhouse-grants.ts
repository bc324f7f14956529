/** The grants of each user in a `users.d` file. */
export const grantsInFile = (xml: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...xml.matchAll(/<(\w+)>\s*<password [^]*?<\/\1>/g)].map(([user, name = '']) => [
      name,
      [...user.matchAll(/<query>GRANT ([^<]+)<\/query>/g)].map(([, grant = '']) => grant),
    ]),
  );

/** Whether one of these grants gives a right such as `SELECT ON default.series`. */
export const covers = (grants: readonly string[], needed: string): boolean => {
  const [right = '', target = ''] = needed.split(' ON ');
  return grants.some((grant) => {
    const [rights = '', on = ''] = grant.split(' ON ');
    return rights.split(', ').includes(right) && isWithin(target, on);
  });
};

const isWithin = (target: string, on: string): boolean =>
  on === '*.*' || on === target || (on === 'default.*' && /^default\.\w+$/.test(target));

/**
 * The rights that ClickHouse's documentation demands for a statement of the schema: GRANT (CLUSTER, sources, CREATE),
 * RENAME and EXCHANGE. Throws for a form that is not listed here.
 */
export const rightsNeededFor = (sql: string): readonly string[] => {
  const form = forms.find(({ is }) => is.test(sql));
  if (form === undefined) throw new Error(`The rights of this statement are not listed: ${sql.slice(0, 80)}`);
  const [, first = '', second = ''] = form.is.exec(sql) ?? [];
  const own = form.rights.map((right) => right.replace('$1', first).replace('$2', second));
  const reads = [...sql.matchAll(/\b(?:FROM|JOIN) (\w+)/g)].map(([, table = '']) => `SELECT ON default.${table}`);
  return [
    ...own,
    ...(form.reads ? reads.filter((right) => !right.includes('.system')) : []),
    ...(/ ON CLUSTER '/.test(sql) ? ['CLUSTER ON *.*'] : []),
    ...(/ENGINE = Distributed\(/.test(sql) ? ['REMOTE ON *.*'] : []),
  ];
};

const exchange = ['SELECT', 'INSERT', 'CREATE TABLE', 'DROP TABLE'].flatMap((right) => [
  `${right} ON default.$1`,
  `${right} ON default.$2`,
]);

const forms: readonly { readonly is: RegExp; readonly rights: readonly string[]; readonly reads?: true }[] = [
  { is: /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/, rights: ['CREATE TABLE ON default.$1'] },
  {
    is: /^CREATE MATERIALIZED VIEW (\w+).* TO (\w+) AS/,
    rights: ['CREATE VIEW ON default.$1', 'INSERT ON default.$2', 'SELECT ON default.$2'],
    reads: true,
  },
  { is: /^ALTER TABLE (\w+)/, rights: ['ALTER TABLE ON default.$1'] },
  { is: /^DROP TABLE IF EXISTS (\w+)/, rights: ['DROP TABLE ON default.$1'] },
  { is: /^DROP VIEW IF EXISTS (\w+)/, rights: ['DROP VIEW ON default.$1'] },
  { is: /^EXCHANGE TABLES (\w+) AND (\w+)/, rights: exchange },
  { is: /^OPTIMIZE TABLE (\w+)/, rights: ['OPTIMIZE ON default.$1'] },
  { is: /^INSERT INTO (\w+)/, rights: ['INSERT ON default.$1'], reads: true },
  { is: /^SELECT /, rights: [], reads: true },
];
