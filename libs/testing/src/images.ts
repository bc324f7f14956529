/** The images of production. A test compares them with docker-compose.yml. */
export const images = {
  nats: 'nats:2.12-alpine',
  redis: 'redis:7-alpine',
  clickhouse: 'clickhouse/clickhouse-server:26.7',
  s3: 'versity/versitygw:v1.7.0',
} as const;
