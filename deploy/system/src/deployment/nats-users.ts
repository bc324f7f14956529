import { permissionsOf, userNames } from '@almanac/bus';
import { natsAuthorization } from '@almanac/local';

export const natsPasswordVariable = (user: string): string => `NATS_PASSWORD_${user.toUpperCase()}`;

const heading = `# Made by \`npm run deploy:make\` from libs/bus/src/permissions.ts; do not edit.
# Passwords come from the environment. nats-server reads such a value as configuration: letters only, since one like
# 12e4 is no text to it, and with an empty one a user needs no password.
`;

/** nats-server's `authorization` block: every user with exactly its subjects. */
export const natsUsersFile = (): string => {
  const users = userNames.map((user) => ({ user, password: natsPasswordVariable(user), ...permissionsOf(user) }));
  const json = JSON.stringify(natsAuthorization(users), undefined, 2);
  // nats-server resolves a variable only without quotes, which JSON cannot express.
  return `${heading}authorization: ${json.replaceAll(/"password": "(\w+)"/g, '"password": $$$1')}\n`;
};
