import { secondsOf, type StoredWebhook, type Webhook } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';

export const presentWebhook = (
  { id, url, description, events, tickers, series, created_us, secrets, disabled }: StoredWebhook,
  nowUs: number = unixMicros(),
): Webhook => {
  const previous = secrets.find(({ expires_us }) => expires_us !== null && expires_us > nowUs);
  return {
    id,
    url,
    description,
    events,
    tickers,
    series,
    created_ts: created_us / 1e6,
    status: disabled === null ? 'enabled' : 'disabled',
    disabled_reason: disabled?.reason ?? null,
    disabled_ts: secondsOf(disabled?.us ?? null),
    previous_secret_expires_ts: secondsOf(previous?.expires_us ?? null),
  };
};
