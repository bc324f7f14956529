import { tlsIn } from '@almanac/bus';
import { pluralize, secretFingerprint } from '@almanac/runtime';
import { resolve } from 'node:path';
import type { TargetOptions } from '../backup/target.js';
import { moment } from '../history/format.js';
import { partitionsIn, streamLimitsIn } from '../partitions.js';
import { giveUpWebhookSecrets, webhookFingerprints } from '../secrets.js';
import { homeOf, type OfflineCommand, type CliInput } from './command.js';
import { UsageError } from '../error-message.js';

export const restore: OfflineCommand = {
  words: 'restore',
  takes: '--from FOLDER [--at TIME] [--yes]',
  does: 'Restores a backup to empty servers while no service runs. On one machine, set ALMANAC_HOME to a new folder. With --at, it takes the newest of the backups in the folder that ended by then.',
  options: ['from', 'at', 'yes'],
  hasSubject: false,
  runOffline: async (typed) => {
    const from = typed.text('from');
    if (from === undefined) throw new UsageError('Name the folder of the backup with --from.');
    // Loaded here, because the clients of the stores take as long to load as everything else.
    const { checkBackup, restore: restoreInto } = await import('../backup/restore.js');
    const { lostSecrets, lostSecretsText } = await import('../backup/webhook-secrets.js');
    const { restoreWaitingFiles } = await import('../backup/waiting-files.js');
    const at = typed.text('at');
    const folder = at === undefined ? resolve(from) : await folderAt(resolve(from), at);
    const backup = await checkBackup(folder);
    const { started_us, files } = backup.manifest;
    typed.note(`The backup of ${moment(started_us)} in ${folder} is complete: ${pluralize(files.count, 'file')}.`);
    const { NATS_URL: url } = typed.environment;
    const home = homeOf(typed);
    const holds = url ? fingerprintsIn(typed.environment) : await webhookFingerprints(home);
    const lost = lostSecrets(backup.manifest, holds);
    if (lost !== null) await requireConsent(typed, lostSecretsText(lost, url ? serversRemedy : homeRemedy(home)));
    if (url) {
      const { withTarget } = await import('../backup/target.js');
      await withTarget(targetOf(url, typed), (target) => restoreInto(backup, target));
      if (lost !== null)
        typed.note(`Start the webhooks service with WEBHOOK_LOST_SECRETS=${lost.fingerprints.join(',')}.`);
    } else {
      const { restoreHome } = await import('../restore-home.js');
      await restoreHome(home, { print: typed.note }, (target) => restoreInto(backup, target));
      if (lost !== null) await giveUpWebhookSecrets(home, lost.fingerprints);
      const waiting = await restoreWaitingFiles(backup.folder, home);
      if (waiting > 0) typed.note(`Imports: ${pluralize(waiting, 'file')} that wait for their markets`);
    }
    typed.show([{ backup_ts: started_us / 1e6, files: files.count }], 'Restored. Start the services.');
  },
};

const folderAt = async (parent: string, at: string): Promise<string> => {
  const { backupsIn } = await import('../backup/earlier-backup.js');
  const { backupAt } = await import('../backup/backup-at.js');
  return backupAt((await backupsIn(parent)).complete, at).folder;
};

const serversRemedy = 'Set WEBHOOK_SECRET and WEBHOOK_EARLIER_SECRETS as the webhooks service of that system has them.';
const homeRemedy = (home: string): string =>
  `Copy secrets.json of that system to ${home}, which also keeps browser sessions and download links.`;

const fingerprintsIn = ({ WEBHOOK_SECRET: secret, WEBHOOK_EARLIER_SECRETS: earlier }: NodeJS.ProcessEnv): string[] =>
  [secret ?? '', ...(earlier ?? '').split(',')].filter((one) => one !== '').map((one) => secretFingerprint(one.trim()));

const requireConsent = async ({ yes, confirm }: CliInput, text: string): Promise<void> => {
  if (yes) return;
  if (confirm === null) throw new UsageError(`${text} If it is lost, add --yes.`);
  if (!(await confirm(text))) throw new UsageError('Nothing was restored.');
};

const targetOf = (url: string, { environment, note }: CliInput): TargetOptions => {
  const { NATS_PASSWORD: password } = environment;
  const { replicas } = streamLimitsIn(environment);
  const connection = {
    url,
    ...(password ? { password } : {}),
    replicas,
    ...tlsIn(environment),
    ...partitionsIn(environment),
  };
  return { connection, environment, print: note };
};
