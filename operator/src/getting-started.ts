import { join } from 'node:path';

export interface Started {
  readonly home: string;
  readonly baseUrl: string;
  readonly key: string;
}

/** Variables of the tour in docs/tour.md, in the syntax of a shell. */
export const demoEnvironment = ({ baseUrl, key }: Started): string => `API=${baseUrl}/api/v1\nKEY=${key}\n`;

export const demoFileOf = (home: string): string => join(home, 'demo.env');

/** What a new user needs after a start. */
export const welcome = ({ home, baseUrl, key }: Started): string => `
Console    ${baseUrl}/console
API        ${baseUrl}/api/v1
Reference  ${baseUrl}/docs
Demo key   ${key} (plan full_book)
Logs       ${join(home, 'logs')} (services), ${home}/{nats,clickhouse,redis,s3}/*.log (servers),
           ${join(home, 'provision.log')} (downloads and build)

The tour in docs/tour.md starts with these two lines. Paste them into bash:

  . '${demoFileOf(home).replaceAll("'", "'\\''")}'; AUTH="Authorization: Bearer $KEY"
  curl -sw '\\n' -H "$AUTH" "$API/series?limit=3"

Import a recording:  npm run import -- <files or folders>
Ctrl-C stops everything; what is stored stays.
`;
