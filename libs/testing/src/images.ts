/** The versions in production. A test checks that docker-compose.yml has the same. */
export const images = {
  balancer: 'haproxy:3.2-alpine',
  nats: 'nats:2.12-alpine',
  redis: 'redis:7-alpine',
  clickhouse: 'clickhouse/clickhouse-server:26.7',
  s3: 'versity/versitygw:v1.7.0',
} as const;
