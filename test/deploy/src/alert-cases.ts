import { processNames } from '@almanac/contracts';

/** Series by name with values in the notation of promtool, one a minute: `0+5x60` begins at 0 and adds 5 sixty times. */
type Series = Readonly<Record<string, string>>;

export interface AlertCase {
  /** What fires. None, if the case shows that something is no reason. */
  readonly fires: readonly string[];
  readonly because: string;
  /** Added to those of a system without a fault, or instead of them. */
  readonly series: Series;
  /** Minutes after the beginning. */
  readonly after?: number;
}

/** Of one case, which needs a history. The others are shorter. */
const day = 1_440;
const short = 120;
const steady = (value: number, minutes = short): string => `${value}+0x${minutes}`;
const growing = (perMinute: number, minutes = short): string => `0+${perMinute}x${minutes}`;

const requests = (status: string): string =>
  `almanac_http_requests_total{route="/markets",method="get",status="${status}"}`;
const slow = (le: string): string => `almanac_http_request_seconds_bucket{route="/markets",method="get",le="${le}"}`;
const files = (outcome: string): string => `almanac_export_files_total{outcome="${outcome}"}`;
const queries = (outcome: string): string => `almanac_clickhouse_queries_total{outcome="${outcome}"}`;
const pending = (consumer: string): string => `almanac_consumer_pending{consumer="${consumer}"}`;
const stream = (what: string): string => `almanac_stream_${what}{stream="EVT_KEYS"}`;
const process = (metric: string): string => `${metric}{job="almanac",instance="10.0.0.1:9090"}`;

const serverUp = (instance: string): string => `up{job="${instance.split(/[:-]/)[0]}",instance="${instance}"}`;
const nats = (metric: string): string => `${metric}{job="nats",instance="nats:7777",server_name="nats-0"}`;
const redisUp = 'redis_up{job="redis",instance="redis-exporter:9121"}';
const clickHouse = (metric: string): string => `ClickHouse${metric}{job="clickhouse",instance="clickhouse:9363"}`;

/** Of a certificate that has so many days left at the end of the test. The time of promtool begins at 0. */
const certificate = ({ lastsDays, leftDays }: { lastsDays: number; leftDays: number }): Series => ({
  'almanac_certificate_expires_timestamp_seconds{certificate="server of NATS"}': steady(
    90 * 60 + leftDays * 86_400,
    90,
  ),
  'almanac_certificate_lifetime_seconds{certificate="server of NATS"}': steady(lastsDays * 86_400, 90),
});

/** A system without a fault. */
export const healthy = (minutes: number): Series => ({
  ...Object.fromEntries(processNames.map((name) => [`almanac_process_info{service="${name}"}`, steady(1, minutes)])),
  [process('up')]: steady(1, minutes),
  [process('process_resident_memory_bytes')]: steady(3e8, minutes),
  [process('almanac_memory_limit_bytes')]: steady(8e8, minutes),
  [process('nodejs_eventloop_lag_p99_seconds')]: steady(0.02, minutes),
  [requests('200')]: growing(6_000, minutes),
  [requests('404')]: growing(60, minutes),
  [slow('0.1')]: growing(6_000, minutes),
  [slow('+Inf')]: growing(6_000, minutes),
  [files('ready')]: growing(10, minutes),
  [queries('ok')]: growing(600, minutes),
  [pending('catalog-read-model')]: steady(0, minutes),
  [stream('bytes')]: steady(1e8, minutes),
  [stream('limit_bytes')]: steady(1e9, minutes),
  [stream('replicas_missing')]: steady(0, minutes),
  ...Object.fromEntries(
    ['nats:7777', 'clickhouse:9363', 'redis-exporter:9121'].map((at) => [serverUp(at), steady(1, minutes)]),
  ),
  [nats('gnatsd_healthz_status')]: steady(0, minutes),
  [nats('jetstream_server_total_message_bytes')]: steady(1e9, minutes),
  [nats('jetstream_server_max_storage')]: steady(1e10, minutes),
  [redisUp]: steady(1, minutes),
  [clickHouse('AsyncMetrics_DiskAvailable_default')]: steady(5e10, minutes),
  [clickHouse('AsyncMetrics_DiskTotal_default')]: steady(1e11, minutes),
  [clickHouse('AsyncMetrics_MaxPartCountForPartition')]: steady(20, minutes),
  [clickHouse('AsyncMetrics_ReplicasMaxAbsoluteDelay')]: steady(2, minutes),
  [clickHouse('Metrics_ReadonlyReplica')]: steady(0, minutes),
  almanac_webhooks_active: steady(10, minutes),
  almanac_backup_verified_timestamp_seconds: steady(0, minutes),
});

/** Of servers.yml. */
const serverCases: readonly AlertCase[] = [
  ...['nats:7777', 'clickhouse:9363', 'redis-exporter:9121'].map((instance) => ({
    fires: ['AlmanacServerDown'],
    because: `${instance} does not answer`,
    series: { [serverUp(instance)]: steady(0) },
  })),
  { fires: ['AlmanacServerDown'], because: 'Redis is gone', series: { [redisUp]: steady(0) } },
  {
    fires: ['AlmanacServerDown'],
    because: 'NATS is not healthy, so that its exporter has no status',
    series: { [nats('gnatsd_healthz_status')]: steady(1) },
  },
  {
    fires: ['AlmanacNatsDiskFills'],
    because: 'JetStream is almost full',
    series: { [nats('jetstream_server_total_message_bytes')]: steady(9e9) },
  },
  {
    fires: ['AlmanacClickHouseDiskFills'],
    because: 'a tenth of the disk of ClickHouse is free',
    series: { [clickHouse('AsyncMetrics_DiskAvailable_default')]: steady(1e10) },
  },
  {
    fires: ['AlmanacClickHouseManyParts'],
    because: 'merges do not keep up',
    series: { [clickHouse('AsyncMetrics_MaxPartCountForPartition')]: steady(800) },
  },
  {
    fires: ['AlmanacClickHouseReplicaReadOnly'],
    because: 'a server of ClickHouse has no Keeper',
    series: { [clickHouse('Metrics_ReadonlyReplica')]: steady(12) },
  },
  {
    fires: ['AlmanacClickHouseReplicaLags'],
    because: 'a replica is behind',
    series: { [clickHouse('AsyncMetrics_ReplicasMaxAbsoluteDelay')]: steady(900) },
  },
];

const done = 'almanac_consumer_deliveries_total{consumer="catalog-read-model",outcome="done"}';

export const alertCases: readonly AlertCase[] = [
  { fires: [], because: 'nothing is wrong', series: {} },
  { fires: ['AlmanacProcessDown'], because: 'a process does not answer', series: { [process('up')]: steady(0) } },
  {
    fires: ['AlmanacServiceMissing'],
    because: 'the last process of a service is gone',
    series: { 'almanac_process_info{service="webhooks"}': '1x5' },
  },
  {
    fires: ['AlmanacRequestsFail'],
    because: '2% of requests fail for an hour, after a day without a failure',
    series: { [requests('503')]: `0x${day - 60} 0+120x60` },
    after: day,
  },
  {
    fires: ['AlmanacRequestsFail', 'AlmanacRequestsFailSlowly'],
    because: '0.8% of requests fail since the beginning',
    series: { [requests('500')]: growing(48) },
  },
  {
    fires: ['AlmanacRequestsFailSlowly'],
    because: '0.2% of requests fail since the beginning',
    series: { [requests('500')]: growing(12) },
  },
  {
    fires: [],
    because: 'requests failed for a minute an hour ago',
    series: { [requests('503')]: '0x20 0+300x1 300x200' },
    after: 90,
  },
  { fires: [], because: 'clients leave, and ask for what is not there', series: { [requests('499')]: growing(600) } },
  {
    fires: ['AlmanacHttpSlow'],
    because: '1 of 50 requests takes longer than 5 s',
    series: { [slow('0.1')]: growing(5_880), [slow('5')]: growing(5_880) },
  },
  {
    fires: ['AlmanacExportsFail', 'AlmanacExportsGivenUp'],
    because: 'half of the files fail',
    series: { [files('given_up')]: growing(10) },
  },
  {
    fires: ['AlmanacExportsGivenUp'],
    because: 'one file fails',
    series: { [files('given_up')]: '0x100 1x100', [files('ready')]: growing(1) },
    after: 120,
  },
  {
    fires: ['AlmanacCallsFail'],
    because: 'a call ends with an unexpected error again and again',
    series: { 'almanac_rpc_requests_total{method="keys.listKeys",outcome="internal"}': growing(1) },
  },
  {
    fires: ['AlmanacCallsUnanswered'],
    because: 'calls get no answer',
    series: { 'almanac_rpc_client_requests_total{method="keys.listKeys",outcome="unavailable"}': growing(60) },
  },
  {
    fires: ['AlmanacConsumerStands'],
    because: 'events wait, and none is processed',
    series: { [pending('catalog-read-model')]: steady(5), [done]: steady(7) },
  },
  {
    fires: [],
    because: 'events wait while others are processed',
    series: { [pending('catalog-read-model')]: steady(5), [done]: growing(7) },
  },
  {
    fires: ['AlmanacConsumerBehind'],
    because: 'many events wait',
    series: { [pending('catalog-read-model')]: steady(20_000), [done]: growing(7) },
  },
  {
    fires: ['AlmanacSubscriptionStalls'],
    because: 'a subscription is restarted twice a minute',
    series: { 'almanac_subscription_restarts_total{stream="EVT_KEYS",subscription="evt.keys.>"}': growing(2) },
  },
  {
    fires: [],
    because: 'a subscription was restarted once, as after the loss of a server',
    series: { 'almanac_subscription_restarts_total{stream="EVT_KEYS",subscription="evt.keys.>"}': '0x20 1x100' },
  },
  {
    fires: ['AlmanacExportsWait'],
    because: 'files wait',
    series: { almanac_export_files_waiting: steady(101), [pending('export-workers')]: steady(0) },
  },
  { fires: ['AlmanacDeadLetters'], because: 'an event was given up', series: { almanac_dead_letters: steady(1) } },
  {
    fires: ['AlmanacUnreadableEvents'],
    because: 'a message is no event',
    series: { almanac_unreadable_events: steady(1) },
  },
  {
    fires: ['AlmanacNewerEvents'],
    because: 'events are held for a newer release',
    series: { 'almanac_held_events{consumer="export-list"}': steady(2) },
  },
  {
    fires: ['AlmanacNatsSlow'],
    because: 'NATS does not report',
    series: { almanac_consumer_info_failures_total: growing(1) },
  },
  {
    fires: ['AlmanacStreamReplicaMissing'],
    because: 'a server of NATS is gone',
    series: { [stream('replicas_missing')]: steady(1) },
  },
  { fires: ['AlmanacStreamFills'], because: 'a stream has used 80%', series: { [stream('bytes')]: steady(8e8) } },
  {
    fires: ['AlmanacStreamFills', 'AlmanacStreamFull'],
    because: 'a stream is full',
    series: { [stream('bytes')]: steady(9.7e8) },
  },
  {
    fires: ['AlmanacClickHouseFails'],
    because: 'ClickHouse is away',
    series: { [queries('unreachable')]: growing(600) },
  },
  {
    fires: ['AlmanacClickHousePartBroken'],
    because: 'a part is broken',
    series: { 'almanac_clickhouse_broken_parts_total{table="trades"}': growing(1) },
  },
  {
    fires: ['AlmanacObjectStoreFails'],
    because: 'the object store refuses',
    series: { 'almanac_s3_requests_total{outcome="refused"}': growing(1) },
  },
  { fires: ['AlmanacLimitsAlone'], because: 'Redis is away', series: { almanac_rate_limit_local: steady(1) } },
  { fires: ['AlmanacPaymentsFail'], because: 'payments fail', series: { almanac_payment_failures_total: growing(1) } },
  {
    fires: ['AlmanacWebhooksWait'],
    because: 'deliveries are late',
    series: { almanac_webhook_oldest_seconds: steady(90) },
  },
  { fires: ['AlmanacWebhooksFail'], because: 'most receivers fail', series: { almanac_webhooks_failing: steady(8) } },
  {
    fires: ['AlmanacEventLoopLate'],
    because: 'a process has too much work',
    series: { [process('nodejs_eventloop_lag_p99_seconds')]: steady(0.5) },
  },
  {
    fires: ['AlmanacMemoryGrows'],
    because: 'a container is almost full',
    series: { [process('process_resident_memory_bytes')]: steady(7.6e8) },
  },
  {
    fires: ['AlmanacBackupOld'],
    because: 'the last proven backup is nine days old',
    // The time of promtool begins at 0, so the backup is older than that.
    series: { almanac_backup_verified_timestamp_seconds: steady(-8 * 86_400) },
  },
  {
    fires: ['AlmanacCertificateEnds'],
    because: 'a certificate of 90 days has 13 of them left',
    after: 90,
    series: certificate({ lastsDays: 90, leftDays: 13 }),
  },
  {
    fires: ['AlmanacCertificateEnds'],
    because: 'a certificate of a day has three hours left',
    after: 90,
    series: certificate({ lastsDays: 1, leftDays: 3 / 24 }),
  },
  {
    fires: [],
    because: 'a certificate of a day has six hours left',
    after: 90,
    series: certificate({ lastsDays: 1, leftDays: 6 / 24 }),
  },
  {
    fires: ['AlmanacLogLinesDropped'],
    because: 'the disk of the logs is full',
    series: { [process('almanac_log_lines_dropped_total')]: growing(1) },
  },
  ...serverCases,
];
