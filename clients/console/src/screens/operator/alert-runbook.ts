// Made by `npm run docs:make` from docs/runbooks/alerts.md; do not edit.

/** What to do about each alert, as Markdown without links. */
export const alertRunbook: Readonly<Partial<Record<string, string>>> = {
  AlmanacProcessDown:
    'A process has not answered on its health port for two minutes. The first log lines list missing or invalid variables. The last lines show why a\nrunning process ended. If it was killed for its memory, see AlmanacMemoryGrows. The other processes of the service\ncontinue to work.',
  AlmanacServiceMissing:
    'No process of a service is scraped. AlmanacProcessDown cannot notice this, because Prometheus forgets a pod that is gone. Look at the events of\nits Deployment: usually no node has room, or an image cannot be pulled. A service without a process answers 503.',
  AlmanacRequestsFail:
    'The aim is that 99.9% of requests in 30 days are answered without 5xx. Now they fail at least six times as often as this allows. A 503 means that a server or service does not answer.\n`doctor` names it. A 500 is a bug. The gateway logs each 500 with its `request_id`, which the logs of all services contain. If the alert follows a release, roll back.',
  AlmanacRequestsFailSlowly:
    'For three days, more than 0.1% of requests answered 5xx. Nobody may have noticed, but the aim of the month is missed if it goes on. Group the panel Responses by status by route,\nand read the errors of that route in the log of the gateway.',
  AlmanacExportsFail:
    'The aim is that 99% of the files of exports in 30 days become ready. Now they fail at least six times as often as this allows. `npm run almanac -- dead-letters` and the log of export\nname the cause. An export that failed is not charged. When the cause is gone, retry the dead letters (`docs/runbooks/drain-dead-letters.md`).',
  AlmanacHttpSlow:
    '1% of the requests to a route take more than 2 s. In the dashboard, compare the route with the durations of RPC calls and ClickHouse queries. The\nslow one is the cause. Scale (`docs/deploy.md`) lists remedies. If one account causes the load, the gateway log shows the account. Its\nplan limits its requests.',
  AlmanacCallsFail:
    'Calls of an RPC method end with an unexpected error. This is a bug. The service logs each error at level error with its request id. If the alert\nfollows a release, roll back.',
  AlmanacCallsUnanswered:
    'Calls of an RPC method get no answer in time. Check with `status` that the service and NATS run. If both run, the service is overloaded: add\nprocesses.',
  AlmanacConsumerStands:
    'Events wait, and none was processed for ten minutes. Either no process of the service runs, or every attempt fails. The log of the service names\nthe error, usually a server that does not answer. Nothing is lost. The consumer continues when the error is gone, and its read model is out of\ndate until then.',
  AlmanacSubscriptionStalls:
    'Messages of a stream wait for a process, and none arrives, although the process has subscribed again several times in ten minutes. Answers from memory may be older than usual. Check the\nNATS servers with `doctor`: usually one is cut off, or its disk stands. After 20 s the process is not ready, and after a minute it ends and is started again.',
  AlmanacConsumerBehind:
    'More than 10,000 events have waited for 15 minutes. During an import this is normal: check with `status` that the number falls. Otherwise add\nprocesses of the service, or give its store more resources. If a read model is damaged, rebuild it (`docs/runbooks/rebuild-a-read-model.md`).',
  AlmanacExportsWait:
    'More than 100 files wait for a worker. Add export processes (KEDA does this). Raise `EXPORT_CONCURRENCY` if ClickHouse has free cores. Users see\ntheir exports as `pending`. No export fails.',
  AlmanacExportsGivenUp:
    'A file failed after its last attempt. Its exports are `failed` and cost nothing. The export log names the cause, and the\ndead letters (`docs/runbooks/drain-dead-letters.md`) name the event. Users can request the export again, so you may drop the dead letter.',
  AlmanacDeadLetters:
    'Consumers could not process some events. Drain the dead letters (`docs/runbooks/drain-dead-letters.md`) within 30 days.',
  AlmanacUnreadableEvents:
    'A message of an event stream is not an event. A program with the password of a service wrote it. Its account or market continues with its last\nevent. `dead-letters` lists the stream and the sequence. Treat the message as an attack:\nrotate the passwords (`docs/runbooks/rotate-keys-and-secrets.md`). Then acknowledge it (`docs/runbooks/drain-dead-letters.md`).',
  AlmanacNewerEvents:
    'A process of an older release still runs 15 minutes after a newer one wrote an event of a new type or with a new value. The older process reads\nthe state before that event. It refuses changes of that account, file or market with 503 and `Retry-After`, and holds the events unacknowledged\n(`almanac_held_events`). Everything else continues. Nothing is lost.\n\n1. Finish the rollout. `doctor` lists the release of each process. When the last older process has stopped, a newer one gets the held events\n   within 10 s.\n2. If you went back to the older release, upgrade again (`docs/upgrading.md`). The older release can never read these events.\n3. A consumer delivers no other events when 1,000 are held. Then `AlmanacConsumerStands` fires, too.\n4. If no newer release ever ran, a program with the password of a service wrote the event: rotate the passwords (`docs/runbooks/rotate-keys-and-secrets.md`).\n   Then discard the events (`docs/runbooks/drain-dead-letters.md`). Do the same if you will never upgrade again.',
  AlmanacNatsSlow:
    'NATS does not report the state of consumers in time. First check the disks of the servers, because NATS writes each change to disk before it\nanswers. Then check their cores. Run `npm run almanac -- doctor` with `NATS_MONITOR_URL=http://nats:8222` to see how full JetStream is. A full\nJetStream refuses every change. Give it more storage. Do not delete anything in it.',
  AlmanacStreamReplicaMissing:
    'For five minutes, a copy of a stream is offline or lacks the newest messages. Everything works, but with three copies the loss of one more server stops all changes of the stream.\nUsually a NATS server is down, or reads its streams after a kill: about 1 s for each million events. Look at its log and its disk. Do not stop another server before the alert\nresolves.',
  AlmanacStreamFills:
    'A stream uses more than 70% of its storage limit. Each stream has a fixed share of `NATS_STORAGE_GB`, so a full stream cannot stop the others.\nPlan more storage now: AlmanacStreamFull describes the steps.',
  AlmanacStreamFull:
    'A stream is at its storage limit. Changes that it records answer 503 with `Retry-After`, and captures and imports wait. Nothing is lost. Reads and\nall other streams continue. To raise the limits:\n\n1. If `max_file_store` of NATS is lower than the new size, raise it first. The disks need that space.\n2. Raise `NATS_STORAGE_GB` in the environment of all services.\n3. Restart the services. Each one applies the limits of its streams at its start. `doctor` then reports no full stream.\n\nWith nats-server 2.9, never lower `max_file_store` below `NATS_STORAGE_GB`: the server does not load streams whose limits exceed it.',
  AlmanacClickHouseFails:
    'More than 5% of queries fail. The label `outcome` shows the cause:\n\n- `unreachable`: the server or the network is down.\n- `timeout`: ClickHouse has too many queries. See Scale (`docs/deploy.md`).\n- `refused`: the ClickHouse log shows the reason. It can be a wrong password (rotate it (`docs/runbooks/rotate-keys-and-secrets.md`)) or a grant that a release\n  needs (`deploy/clickhouse/users.d`). It can also be a missing migration, which `doctor` names: run `helm upgrade` of the same release, which runs the migrations.',
  AlmanacClickHousePartBroken:
    'Queries of the table met files that ClickHouse cannot read, and answered 503. `doctor` names the part. `npm start` restarts ClickHouse if the part\nbroke while it ran. Elsewhere, follow Broken parts (`docs/runbooks/broken-parts.md`) before the sources of the part are removed, 8 minutes after its merge.',
  AlmanacObjectStoreFails:
    'The label `outcome` shows the cause:\n\n- `refused`: the access key or its policy is wrong.\n- `full`: the store needs more space.\n- `unavailable`, `deadline`: the store does not answer. Exports wait, and continue by themselves.\n\n`not_found` does not fire the alert: the bucket is missing. Run `bucket-main.js` of export to create it. Almanac prepares lost files again when\nusers request them.',
  AlmanacLimitsAlone:
    'A gateway cannot reach Redis and limits requests by itself. An account can then use its full rate at each gateway. Start Redis. Nothing in it must\nbe restored. The gateway log shows whether Redis refuses the login or does not answer.',
  AlmanacPaymentsFail:
    'Calls to Stripe fail. See Troubleshooting (`docs/stripe.md`). Everything except purchases works.',
  AlmanacWebhooksWait:
    'A delivery has waited for more than a minute although the last answer of its receiver was good. The panel Waiting deliveries shows how many wait. If\nit grows, add processes of webhooks: each takes over a share of the webhooks within 15 seconds. If it does not, the log of webhooks says what its\ndeliveries wait for, usually NATS. Nothing is lost. A receiver that takes a minute for each answer can cause the alert, too: `WEBHOOK_TIMEOUT_S` limits\nits answers.',
  AlmanacWebhooksFail:
    "The last attempts to more than half of the webhooks failed. Single receivers fail often, but not most of them at once. So the cause is probably on our\nside: names are not resolved, port 443 is closed (a network policy, a firewall), or the clock is off and receivers refuse the signatures. The log of an\naccount's attempts (`GET /webhooks/{id}/deliveries`) has the error of each. Deliveries are repeated for 24 hours. After that, the webhook is disabled, and what\nwaited is dropped.",
  AlmanacEventLoopLate:
    'For ten minutes, a process has had more work than one core can do. Add a process of its service.',
  AlmanacMemoryGrows:
    'A process uses more than 90% of the memory of its container, or of its machine, and is killed when it has used all. Restart it: other processes of the service continue to work.\nDeploy (`docs/deploy.md`) lists normal sizes. If the memory grows again, the service has a bug: attach a heap snapshot to the ticket.',
  AlmanacBackupOld:
    'The newest backup that a trial restore has proven is older than eight days. The figure is that of `backup verify --metrics`, so this alert needs a\nscheduled verification (`docs/runbooks/backup-and-restore.md`). Run it by hand. If it says that the backup is damaged, back up at once, and restore the next one for trial, too.',
  AlmanacLogLinesDropped:
    'A process could not write log lines, so its log has gaps. Usually the disk of the logs is full: free space. Requests are not affected.',
  AlmanacServerDown:
    'A server of NATS, ClickHouse or Redis, or the exporter beside it, has not answered for two minutes, or NATS says that it is not healthy. Redis holds only data that can be lost: start it.\nFailures (`docs/runbooks/failures.md`) says what works without each server.',
  AlmanacNatsDiskFills:
    'All streams of a NATS server together use more than 80% of `max_file_store`. AlmanacStreamFull describes the steps. If `NATS_STORAGE_GB` is at most\n`max_file_store`, a single stream reaches its limit first.',
  AlmanacClickHouseDiskFills:
    'Less than 15% of the disk of ClickHouse is free. Merges need room for the parts that they write, so add space before it is full. No data is deleted by age: the archive only grows.',
  AlmanacClickHouseManyParts:
    'Each insert makes a part, and merges do not keep up. Usually many small imports run at once, or the disk is slow. Pause imports until the number falls. At 1,000 parts of a\npartition ClickHouse delays inserts, and at 3,000 it refuses them. Reads also become slower.',
  AlmanacClickHouseReplicaReadOnly:
    'A server of a cluster has lost its Keepers, so its replicated tables take no inserts. With a majority of the replicas, imports go on. Check the Keepers: with one of three they\nstop.',
  AlmanacClickHouseReplicaLags:
    'A replica is more than five minutes behind. Reads go to replicas that have every acknowledged row. If it does not catch up, look at `system.replication_queue` of that server: its\ncolumn `last_exception` names the cause.',
};
