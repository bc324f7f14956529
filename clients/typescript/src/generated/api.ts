// Made by `npm run docs:make` from docs/openapi.json; do not edit.

export interface paths {
    "/api/v1/billing/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the billing portal
         * @description Returns the URL of the billing portal of the payment provider, for cards, invoices and cancellation.
         */
        post: operations["openPortal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/billing/upgrade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upgrade the plan
         * @description If the server has a payment provider, the answer has the URL of a hosted checkout, and the plan changes after the payment. Otherwise the plan changes at once. An upgrade to the current plan changes nothing and is free. A change to a lower plan returns an error.
         */
        post: operations["upgradePlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the cart
         * @description Returns the events in the cart at their current prices.
         */
        get: operations["getCart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cart/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check out the cart
         * @description If the server has a payment provider, the status is `pending` and the answer has the URL of a hosted checkout. The events are unlocked after the payment. Otherwise they are unlocked at once. An account has one open checkout. A second request returns it again. If the cart has changed, the request closes it and opens a new one.
         */
        post: operations["checkOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cart/event-exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add an event to the cart
         * @description Adding an event twice has no effect. If you already own the event, the cart is unchanged and `already_unlocked` is true.
         */
        post: operations["addToCart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cart/event-exports/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an event from the cart
         * @description If the event is not in the cart, the cart is unchanged.
         */
        delete: operations["removeFromCart"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List categories
         * @description Returns all categories with their numbers of series, events and markets.
         */
        get: operations["listCategories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/datasets/{dataset_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a dataset
         * @description Returns what the file of a ready export contains, and how to cite it: target and options, the data version of each market, known gaps, schema and hash. Any API key can read any dataset by its id, so that readers of a paper can resolve a citation. The answer never shows who made the file or what paid for it. To get the file itself, send `POST /exports` with `dataset`.
         *
         *     A dataset never changes, also if the data of its markets does.
         *
         *     With `format=croissant`, the answer is JSON-LD for catalogues and loaders of data sets, with the SHA-256 of the file and the columns of CSV and Parquet. A loader finds the file beside it, under the name in `contentUrl`. With `format=datacite`, it is what a repository needs to register the file.
         */
        get: operations["getDataset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event
         * @description Returns the event with its markets, and a strike ladder if the markets have strikes.
         */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event on one clock
         * @description Returns the best prices of all markets of an event at the same times, as columns. The times are multiples of `step_ms` since the epoch. A value is from the last observation at or before its time, never from a later one. It is null if it is unknown or if a gap follows the observation.
         *
         *     Without bounds, the window is the event from its open to its close, or to now, and of a longer event its last 6 hours. With only `start_ts`, it is the next 6 hours until the close, and `next_start_ts` goes on. With only `end_ts`, it is the 6 hours before, from the open on.
         *
         *     An answer has at most 100 markets and 5,000 times. For further markets, send `next_cursor` as `cursor` with the same window. For later times, send `next_start_ts` as `start_ts`.
         *
         *     As CSV, JSON lines, Parquet and Arrow, the answer has a row for each market and time, and headers have the other fields.
         */
        get: operations["listEventSnapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List exports
         * @description Returns the exports of the account, newest first, with every status. An export is in the list as soon as any API key of the account has created it. A key with `as_of` gets the exports as of its time or earlier.
         */
        get: operations["listExports"];
        put?: never;
        /**
         * Create an export
         * @description Returns at once with status `pending`. Poll the export until its status is `ready`, then download the file. A failed export gives back the credit and the quota that it used. With `dry_run=true`, the server creates nothing and returns the price and the estimated size.
         *
         *     A range of days (`from`, `to`) or a list (`events`, `tickers`) is one export with one file. With `split: day`, each day is an export of its own. The answer is then an `ExportGroup`: all of its exports are created, or none. It counts as one pending export.
         *
         *     With `dataset`, the export has exactly the bytes of that dataset, and everything else about it is like any export: your plan or an unlock must cover it. If the bytes cannot be had any more, the answer is 409 `dataset_changed`, which names what changed.
         */
        post: operations["createExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/{export_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an export
         * @description Returns the export. A ready export has a short-lived signed URL that needs no API key.
         */
        get: operations["getExport"];
        put?: never;
        post?: never;
        /**
         * Cancel an export
         * @description Cancels a pending export and gives back the credit and the quota that it used. Cancelling it again returns the same answer.
         */
        delete: operations["cancelExport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/{export_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream export events
         * @description Streams server-sent events, as an alternative to polling. The events `pending`, `ready`, `failed` and `cancelled` have an `id`: the first event shows the current status, and each change sends another. The event `progress` comes at most once per second. `data` is the export as `GET /exports/{export_id}` returns it. The stream ends after the last event. To resume after a lost connection, send `Last-Event-ID`.
         */
        get: operations["streamExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/{export_id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an export
         * @description Returns the file of a ready export, or the bytes in the `Range` header. The file is never sent with a `Content-Encoding`.
         */
        get: operations["downloadExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/exports/formats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List file formats
         * @description The answer is the same for every account.
         */
        get: operations["listExportFormats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Returns the API keys of the account, newest first, without their secrets.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The answer is the only one that shows the secret. Store it safely.
         *
         *     A key with `as_of` reads the archive as of that time: for an agent or a colleague who must not look ahead. A later `as_of` is 403 `as_of_fenced`, and so is an endpoint that cannot answer as of a time. Keys made with such a key have its `as_of` or an earlier one.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description The server stops accepting the key within two seconds. Revoking a revoked key changes nothing.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List markets
         * @description Returns markets by close time, newest first. Without `from_ts`, `to_ts`, `event` and `q`, the answer has only live markets and the markets of the last `days` days of matching data. With `changed_since_ts`, it has what changed in the archive, the earliest change first.
         *
         *     With `has_gaps` or `covered_min`, at most about 10,000 markets are compared for one page. If it is not full then, the notice `page_not_full` says so, and `next_cursor` goes on. The notice `completeness_unknown` counts markets of which no recording states its completeness.
         */
        get: operations["listMarkets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{ticker}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a market
         * @description Returns the market with its settlement, its rules, price steps and fee, and what became known when.
         */
        get: operations["getMarket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{ticker}/book": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the order book at a moment
         * @description Returns the last stored book with `ts <= at_ts`. `basis` says what can have happened between. The book is null inside a gap, and after a gap until the next book.
         *
         *     Books need the plan `full_book` or an unlocked event, as in snapshots. Without them, `include_book` is false and the levels are null.
         *
         *     As CSV, JSON lines, Parquet and Arrow, the answer has only rows. Headers have the other fields, such as `Almanac-Has-More` for `has_more`.
         */
        get: operations["getBook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{ticker}/candles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List candles of a market
         * @description Summarises the observations and trades of each period `start_ts <= ts < end_ts`, in periods counted from the epoch (UTC). Without bounds, the window is all data of the market until its close. No candle is invented: a period without observations and trades has none, except with `fill=previous`. Observations and trades at or after the close or settlement never count. `GET /markets/{ticker}/trades` has all trades.
         *
         *     An answer has at most 5,000 periods. To read on, send `next_start_ts` as `start_ts`. For a chart, send `points`.
         *
         *     As CSV, JSON lines, Parquet and Arrow, the answer has only rows. Headers have the other fields, such as `Almanac-Has-More` for `has_more`.
         */
        get: operations["listCandles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{ticker}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a market
         * @description Returns the coverage of the stored data, the YES price path, the first and last rows, and the useful part of the window.
         *
         *     The window is the last 6 hours of the market. If the market begins before it, `clamped` is true, and the notice `window_clamped` says how to read the earlier rows.
         *
         *     If `pending` is true, the preview is being prepared: send the request again after a short time.
         */
        get: operations["previewMarket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{ticker}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List snapshots of a market
         * @description Returns stored observations with `start_ts <= ts < end_ts`, downsampled to the last observation of each step. No values are interpolated.
         *
         *     A window has at most 6 hours. Without bounds, it is the last 6 hours of the market. With only `start_ts`, it is the next 6 hours. With only `end_ts`, it is the 6 hours before. If both bounds are set and are further apart, the window is the first 6 hours. If rows are left out, `clamped` is true: send `next_start_ts` as `start_ts` to read on.
         *
         *     An answer without rows has the notice `window_empty`, which names the nearest rows.
         *
         *     For bulk reads, request CSV, JSON lines, Parquet or Arrow with `format` or `Accept`. Without `limit`, the answer has all rows of the window, of any length: the 6 hours do not apply, and without bounds it is all data of the market. The trailers `Almanac-Complete`, `Almanac-Count` and `Almanac-Sha256` follow the last row; a short answer has them as headers. If the server cannot finish the answer, it aborts the connection.
         *
         *     With `limit`, these formats have the same pages as JSON. Headers have the other fields, such as `Almanac-Has-More` for `has_more`, and `Link` has the URL of the next page.
         */
        get: operations["listSnapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{ticker}/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List trades of a market
         * @description Returns the stored trades with `start_ts <= ts < end_ts` by time, then by id. A window has any length. Without bounds, it is all trades of the market. To read more, send `next_cursor` as `cursor`. An answer without trades has the notice `window_empty`, which names the nearest ones.
         *
         *     Each trade is stored once, by its id at the venue. Prices are those of the yes side.
         *
         *     For bulk reads, request CSV, JSON lines, Parquet or Arrow with `format` or `Accept`. Without `limit`, the answer has all trades of the window, with the trailers `Almanac-Complete`, `Almanac-Count` and `Almanac-Sha256`. A short answer has them as headers. If the server cannot finish the answer, it aborts the connection.
         *
         *     With `limit`, these formats have the same pages as JSON. Headers have the other fields, such as `Almanac-Has-More` for `has_more`, and `Link` has the URL of the next page.
         */
        get: operations["listTrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/at": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read markets at moments
         * @description Returns the last observation of each market at or before each time, never a later one. Values are null before the first observation, inside a gap, and after a gap until the next observation. Duplicate tickers and times count once.
         *
         *     As CSV, JSON lines, Parquet and Arrow, the answer has only rows. Headers have the other fields, such as `Almanac-Has-More` for `has_more`.
         */
        post: operations["readMarketsAt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/candles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List candles of several markets
         * @description Returns candles of up to 100 markets in the same periods. An answer has at most 20,000 periods of all markets together. To read on, send `next_start_ts` as `start_ts`.
         *
         *     As CSV, JSON lines, Parquet and Arrow, the answer has only rows. Headers have the other fields, such as `Almanac-Has-More` for `has_more`.
         */
        post: operations["listCandlesOfMarkets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get figures of the last day
         * @description Returns requests, their duration, the backlog, disk and memory of the last day, a sample for each minute. The gateway that answers took them, of all processes of the system. Only an account on the plan `internal` can read it. For every other account this path does not exist.
         */
        get: operations["getOperatorHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the system
         * @description Returns the processes, the streams with their backlog, the dead letters, and the faults with their remedies. Only an account on the plan `internal` can read it. For every other account this path does not exist.
         *
         *     A service that does not answer within 3 s has no processes in the answer, and its streams are missing.
         */
        get: operations["getOperatorStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the plan
         * @description Returns the plan of the account, its limits, the current usage and the free export credit. `plans` has the price and the limits of every plan.
         */
        get: operations["getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/quality": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find what is missing
         * @description Returns what is stored of the markets of a series, an event, a category or a venue in a range of UTC days, and what is missing. The markets are those that were open in the range. Without days, it is yesterday.
         *
         *     Gaps are those of `GET /markets/{ticker}/preview`, with their whole times. All other figures are of the range, and of a live market until now.
         *
         *     With `by=day` or `by=hour`, `periods` has the sums of all these markets. At most 10,000 markets: otherwise, send fewer days. To read more, send `next_cursor` as `cursor`.
         *
         *     As CSV, JSON lines, Parquet and Arrow, the answer has only the markets or periods, and `gaps_n`, `gap_s` and `longest_gap_s` instead of the list of gaps. Headers have the other fields, such as `Almanac-Has-More` for `has_more`, and `Link` has the URL of the next page.
         */
        get: operations["getQuality"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search series, events and markets
         * @description Exact ids come first, then ids that start with the search words, then items whose title, label or category contains the words in any order and case. Hits that match equally well are sorted by status, live first, then by latest close. If `q` is empty, the answer has everything that matches the filters.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List series
         * @description Returns live series first, then the others by newest close. The time filters match a series if at least one of its markets closes between `from_ts` and `to_ts`.
         */
        get: operations["listSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/series/{series_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a series
         * @description Returns the series with its newest markets. If the series is not rolling, the answer also has its events. `limit` applies to each list.
         */
        get: operations["getSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Returns all webhooks of the account, newest first, without their secrets.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The server sends events to the `url` from now on, as `POST` requests in the form of [Standard Webhooks](https://www.standardwebhooks.com): the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, and a JSON body with `type`, `timestamp` and `data`. Verify the signature with the secret in this answer, which is the only one that shows it. The clients for TypeScript and Python have a function for this.
         *
         *     A delivery succeeds if the answer has a status from 200 to 299 within 15 seconds. Otherwise it is sent again: after 5 and 30 seconds, 2, 10 and 30 minutes, 1 hour, then every 2 hours. An address that still fails 24 hours after the first failure, or that answers 410, disables the webhook with a reason. Events of a disabled webhook are not sent later.
         *
         *     Each event is sent at least once. Recognise repetitions by `webhook-id`. Events of one export, and of one market, are sent in order.
         *
         *     `data` of an export event is the export without its link: read it with `GET /exports/{export_id}`. `data` of `market.settled` is the market, and of `market.data_changed` its ticker, its data version and the bounds of its observations. Both are read when they are sent, so changes that wait together are sent once, as the newest state.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Its secret is not shown again: `POST /webhooks/{webhook_id}/rotate` makes another.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Returns the webhook as it was. Deliveries that wait are dropped.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List delivery attempts
         * @description Returns the newest attempts to deliver to a webhook, newest first. The log has the newest 100 attempts of the last 30 days.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Sends a delivery of the log again, with the same id and body and a new timestamp and signature, after what waits for its object.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a webhook
         * @description The server sends events again from now on, not those of the time in which the webhook was disabled. Enabling an enabled webhook changes nothing.
         */
        post: operations["enableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description Returns a new secret, which only this answer shows. For 24 hours, deliveries have two signatures: of the new secret and of the one before. A receiver accepts a delivery if one of them is right. A second rotation within this time ends the first secret at once.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends an event of the type `webhook.test`. Its attempts are in the log.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An API key without its secret. */
        ApiKey: {
            /**
             * @description Time as of which the key reads the archive, in Unix seconds. Null if it reads the present
             * @default null
             * @example null
             */
            as_of: number | null;
            /**
             * @description Time when the key was created, in Unix seconds
             * @example 1771992900.5
             */
            created_ts: number;
            /**
             * @description Id of the key. It is not secret
             * @example 7hq2mz0b4k9c1d5e8f3g
             */
            id: string;
            /** @description Time when the key was last used, in Unix seconds. Null if unknown */
            last_used_ts: number | null;
            /**
             * @description Last 4 characters of the key
             * @example x7Qa
             */
            last4: string;
            /**
             * @description Display name
             * @example notebook
             */
            name: string;
            /**
             * @description Beginning of the key
             * @example ak_live_7hq2mz0b4k9c1d5e8f3g
             */
            prefix: string;
            /** @description Time when the key was revoked, in Unix seconds. Null if the key is active */
            revoked_ts: number | null;
            /**
             * @description Status of the key. A revoked key is not accepted
             * @example active
             * @enum {string}
             */
            status: "active" | "revoked";
        };
        ApiKeyBody: {
            /**
             * @description Everything read with the key is as of this time, in Unix seconds. It may not be in the future. Without it, the key reads the present
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Display name, 1 to 80 characters
             * @default default
             * @example notebook
             */
            name?: string;
        };
        BookResponse: {
            /**
             * @description Age of the observation at the requested time, in milliseconds
             * @example 412.5
             */
            age_ms: number | null;
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Requested time, in Unix seconds
             * @example 1771993365.5
             */
            at_ts: number;
            /**
             * @description `every_change` if every change up to `at_ts` is stored, so this is the exact book at `at_ts`. `sampled` if the recording is complete and the last book of each interval is stored. `snapshot` if no recording states that it is complete
             * @example every_change
             */
            basis: ("every_change" | "sampled" | "snapshot") | null;
            /**
             * @description Whether the recording is incomplete at `at_ts`, so the book is unknown
             * @example false
             */
            in_gap: boolean;
            /**
             * @description Whether your plan or an unlock covers the book
             * @example true
             */
            include_book: boolean;
            /** @description Why the book is not included. Null if nothing was left out */
            notice: string | null;
            /**
             * @description Bids on the no side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in contracts. Null if no order book was captured
             * @example [
             *       [
             *         0.86,
             *         300
             *       ]
             *     ]
             */
            orderbook_no: [
                number,
                number
            ][] | null;
            /**
             * @description Bids on the yes side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in contracts. Null if no order book was captured
             * @example [
             *       [
             *         0.86,
             *         300
             *       ]
             *     ]
             */
            orderbook_yes: [
                number,
                number
            ][] | null;
            /**
             * @description Sequence number from the venue
             * @example 4711
             */
            seq: number | null;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
            /**
             * @description Time of the stored book, in Unix seconds. Never later than `at_ts`. Null if the book is unknown
             * @example 1771993365.058297
             */
            ts: number | null;
            /**
             * @description Time of the book at the venue, in Unix seconds
             * @example 1771993365.05
             */
            venue_ts: number | null;
        };
        /** @description Order books of one observation. */
        BookSample: {
            /**
             * @description Bids on the no side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in contracts. Null if no order book was captured
             * @example [
             *       [
             *         0.86,
             *         300
             *       ]
             *     ]
             */
            orderbook_no: [
                number,
                number
            ][] | null;
            /**
             * @description Bids on the yes side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in contracts. Null if no order book was captured
             * @example [
             *       [
             *         0.86,
             *         300
             *       ]
             *     ]
             */
            orderbook_yes: [
                number,
                number
            ][] | null;
            /** @description Time of the observation, in Unix seconds */
            ts: number;
        };
        /** @description Buy the event. You keep it permanently. */
        BuyEventOption: {
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event: string;
            price: components["schemas"]["Money"];
            /**
             * @description Kind of the option
             * @constant
             */
            type: "buy_event";
        };
        /** @description Buy every event of the export that you do not own. You keep them permanently. */
        BuyEventsOption: {
            /** @description Events to buy, cheapest first. At most the first 100 */
            events: components["schemas"]["EventPrice"][];
            /**
             * @description Number of events to buy
             * @example 96
             */
            events_n: number;
            /** @description What to do to buy the events */
            next: string;
            /** @description Price of all these events together */
            price: components["schemas"]["Money"];
            /**
             * @description Kind of the option
             * @constant
             */
            type: "buy_events";
        };
        /** @description Observations and trades of a period, summarised. Those at or after the close or settlement never count. In a period without any, whole candles of the venue, if they are stored. */
        Candle: {
            coin_price: components["schemas"]["CandleCoin"];
            /**
             * @description End of the period (exclusive), in Unix seconds
             * @example 1771992960
             */
            end_ts: number;
            /**
             * @description Seconds of the period in which the recording is incomplete
             * @example 0
             */
            gap_s: number;
            mid: components["schemas"]["CandleMid"];
            /**
             * @description Number of stored observations in the period. 0 if it has only trades, or with `fill=previous`
             * @example 60
             */
            observations: number;
            /**
             * @description Open contracts at the end of the period, as the venue states them. Null in a `recorded` candle
             * @example 12432
             */
            open_interest?: number | null;
            price: components["schemas"]["CandlePrice"];
            /**
             * @description `recorded` if the candle is of stored observations and trades, `venue` if it is of the candles of the venue. This field and the next ones are absent if no venue candles of the market are stored
             * @example venue
             * @enum {string}
             */
            source?: "recorded" | "venue";
            /**
             * @description Start of the period (inclusive), in Unix seconds
             * @example 1771992900
             */
            start_ts: number;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
            /**
             * @description Number of trades. Null if no trades of the market are stored
             * @example 7
             */
            trades: number | null;
            /**
             * @description Whose candles a `venue` candle is made of. Otherwise null
             * @example kalshi
             */
            venue?: string | null;
            /**
             * @description Period in seconds of the venue candles that a `venue` candle is made of. Otherwise null
             * @example 60
             */
            venue_period_s?: number | null;
            /**
             * @description Traded contracts. Above 0 exactly if there is a price. Null if no trades of the market are stored
             * @example 120
             */
            volume: number | null;
            yes_ask: components["schemas"]["CandleAsk"];
            yes_bid: components["schemas"]["CandleBid"];
        };
        /** @description Best asks on the yes side, as fractions of 1. Null without one. */
        CandleAsk: {
            /**
             * @description Last value in the period
             * @example 0.51
             */
            close: number | null;
            /**
             * @description Highest value in the period
             * @example 0.53
             */
            high: number | null;
            /**
             * @description Lowest value in the period
             * @example 0.47
             */
            low: number | null;
            /**
             * @description First value in the period
             * @example 0.48
             */
            open: number | null;
        };
        CandleBatchResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /** @description Candles by market and period, oldest first */
            candles: components["schemas"]["Candle"][];
            /**
             * @description Number of candles in this answer
             * @example 15
             */
            count: number;
            /**
             * @description Later observations and trades are not in the candles. In Unix seconds (exclusive)
             * @example 1771993800
             */
            end_ts: number;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /**
             * @description `start_ts` of the next page, in Unix seconds. Null on the last page
             * @example 1771993800
             */
            next_start_ts: number | null;
            /** @description Which periods the candles of the venue have, if none of them make up the requested one */
            notice?: string | null;
            /**
             * @description Length of a period in seconds
             * @example 60
             */
            period_s: number;
            /**
             * @description Start of the first period (inclusive), in Unix seconds. Never later than the requested one
             * @example 1771992900
             */
            start_ts: number;
        };
        /** @description Best bids on the yes side, as fractions of 1. Null without one. */
        CandleBid: {
            /**
             * @description Last value in the period
             * @example 0.51
             */
            close: number | null;
            /**
             * @description Highest value in the period
             * @example 0.53
             */
            high: number | null;
            /**
             * @description Lowest value in the period
             * @example 0.47
             */
            low: number | null;
            /**
             * @description First value in the period
             * @example 0.48
             */
            open: number | null;
        };
        /** @description Coin prices in USD. Null without one. */
        CandleCoin: {
            /**
             * @description Last value in the period
             * @example 0.51
             */
            close: number | null;
            /**
             * @description Highest value in the period
             * @example 0.53
             */
            high: number | null;
            /**
             * @description Lowest value in the period
             * @example 0.47
             */
            low: number | null;
            /**
             * @description First value in the period
             * @example 0.48
             */
            open: number | null;
        };
        /** @description Middles of the best bid and ask of observations that have both. Null without one. */
        CandleMid: {
            /**
             * @description Last value in the period
             * @example 0.51
             */
            close: number | null;
            /**
             * @description Highest value in the period
             * @example 0.53
             */
            high: number | null;
            /**
             * @description Lowest value in the period
             * @example 0.47
             */
            low: number | null;
            /**
             * @description First value in the period
             * @example 0.48
             */
            open: number | null;
        };
        /** @description Prices of the trades in the period, as fractions of 1. Null without trades, except `previous`. */
        CandlePrice: {
            /**
             * @description Last value in the period
             * @example 0.51
             */
            close: number | null;
            /**
             * @description Highest value in the period
             * @example 0.53
             */
            high: number | null;
            /**
             * @description Lowest value in the period
             * @example 0.47
             */
            low: number | null;
            /**
             * @description Mean price of the trades, weighted by size and rounded to 6 decimals
             * @example 0.502
             */
            mean: number | null;
            /**
             * @description First value in the period
             * @example 0.48
             */
            open: number | null;
            /**
             * @description Price of the last trade before the period, also if it was before the window. Null without one
             * @example 0.48
             */
            previous: number | null;
        };
        CandlesResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /** @description Candles by market and period, oldest first */
            candles: components["schemas"]["Candle"][];
            /**
             * @description Number of candles in this answer
             * @example 15
             */
            count: number;
            /**
             * @description Later observations and trades are not in the candles. In Unix seconds (exclusive)
             * @example 1771993800
             */
            end_ts: number;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /**
             * @description `start_ts` of the next page, in Unix seconds. Null on the last page
             * @example 1771993800
             */
            next_start_ts: number | null;
            /** @description Which periods the candles of the venue have, if none of them make up the requested one */
            notice?: string | null;
            /**
             * @description Length of a period in seconds
             * @example 60
             */
            period_s: number;
            /**
             * @description Start of the first period (inclusive), in Unix seconds. Never later than the requested one
             * @example 1771992900
             */
            start_ts: number;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
        };
        /**
         * @example {
         *       "event": "KXBTC15M-26FEB242330"
         *     }
         */
        CartEventBody: {
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event: string;
        };
        /** @description An event in the cart. */
        CartItem: {
            /**
             * @description `plan` if your plan covers the event. A checkout leaves it out
             * @example plan
             * @constant
             */
            covered_by?: "plan";
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event: string;
            /** @description Current price. You pay once and keep the event permanently. 0 if your plan covers the event */
            price: components["schemas"]["Money"];
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /**
             * @description Title from the venue. Long titles are shortened
             * @example BTC price at 11:30 PM EST
             */
            title: string | null;
        };
        /** @description The shopping cart of the account. */
        CartResponse: {
            /**
             * @description True if you already own the event. The cart is unchanged
             * @example true
             */
            already_unlocked?: boolean;
            /**
             * @description Number of items in the cart
             * @example 1
             */
            count: number;
            /** @description Items in the order in which they were added */
            items: components["schemas"]["CartItem"][];
            /**
             * @description What you should know before you buy, such as what your plan covers
             * @example [
             *       "This server has no payment provider, so no payment was taken."
             *     ]
             */
            remarks?: string[];
            /** @description Total of the current prices */
            total: components["schemas"]["Money"];
        };
        CategoriesResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /** @description All categories */
            categories: components["schemas"]["Category"][];
            /**
             * @description Number of items in this answer
             * @example 1
             */
            count: number;
            /**
             * @description Time when the cached figures were computed, in Unix seconds. Null with `as_of`
             * @example 1775319300.25
             */
            saved_ts: number | null;
            /**
             * @description `archive` if the answer was read now, `cache` if its figures were computed before
             * @example archive
             * @enum {string}
             */
            source: "archive" | "cache";
        };
        /** @description A category groups series on one subject. */
        Category: {
            /**
             * @description Number of markets that are not live
             * @example 3624
             */
            closed_n: number;
            /**
             * @description Number of events
             * @example 3625
             */
            events_n: number;
            /**
             * @description Slug of the category
             * @example crypto
             */
            id: string;
            /**
             * @description Category name from the venue
             * @example Crypto
             */
            label: string;
            /**
             * @description Number of live markets
             * @example 1
             */
            live_n: number;
            /**
             * @description Number of markets
             * @example 3625
             */
            markets_n: number;
            /**
             * @description Number of series
             * @example 4
             */
            series_n: number;
        };
        /** @description A checkout of the cart. */
        CheckoutResponse: {
            /**
             * @description URL of the hosted payment page. Null if there is nothing to pay
             * @example https://checkout.example.com/c/pay/cs_live_a1b2c3
             */
            checkout_url: string | null;
            /**
             * @description `stripe` if you pay on a hosted page. `stub` if the server has no payment provider and completes the purchase at once
             * @example stripe
             * @enum {string}
             */
            mode: "stub" | "stripe";
            /**
             * @description What you should know about the payment
             * @example [
             *       "This server has no payment provider, so no payment was taken."
             *     ]
             */
            remarks?: string[];
            /**
             * @description `pending` until you have paid on the hosted page, then `completed`
             * @example completed
             * @enum {string}
             */
            status: "completed" | "pending";
            /** @description Total charge */
            total: components["schemas"]["Money"];
            /**
             * @description Tickers of the events that this purchase unlocked
             * @example [
             *       "KXBTC15M-26FEB242330"
             *     ]
             */
            unlocked: string[];
        };
        /** @description How to cite the file of an export. */
        Citation: {
            /** @description Citation as a BibTeX entry */
            bibtex: string;
            /** @description Citation for people */
            text: string;
        };
        /** @description The dead letters of a durable consumer. */
        ConsumerDeadLetters: {
            /**
             * @description Name of the durable consumer
             * @example export-workers
             */
            consumer: string;
            /**
             * @description Its dead letters
             * @example 1
             */
            count: number;
            /** @description The newest one. Null if its service does not answer */
            newest: components["schemas"]["DeadLetter"] | null;
        };
        /** @description A durable consumer. All processes of its service share it. */
        ConsumerStatus: {
            /**
             * @description Name of the durable consumer
             * @example export-workers
             */
            consumer: string;
            /**
             * @description Messages that were delivered and not acknowledged
             * @example 2
             */
            in_progress: number;
            /**
             * @description Open requests for messages. Zero while messages wait means that no process reads
             * @example 1
             */
            pull_requests: number;
            /**
             * @description Messages that were delivered more than once and not acknowledged
             * @example 0
             */
            redelivered: number;
            /**
             * @description Service whose processes read it
             * @example export
             */
            service: string;
            /**
             * @description Stream that it reads
             * @example EVT_FILE
             */
            stream: string;
            /**
             * @description Messages that were not delivered yet
             * @example 12
             */
            waiting: number;
        };
        /** @description A time between open and close for which the recording is incomplete. */
        CoverageGap: {
            /**
             * @description Time at which the market was known again, in Unix seconds. Null if it is still unknown
             * @example 1778763704.25
             */
            end_ts: number | null;
            /**
             * @description `all` if nothing is known, `books` if prices are known and order books are not
             * @example all
             * @enum {string}
             */
            missing: "all" | "books";
            /**
             * @description Reason for the gap
             * @example messages are missing in the sequence
             */
            reason: string;
            /**
             * @description Last time at which the market was known, in Unix seconds
             * @example 1778763701.5
             */
            start_ts: number;
        };
        /** @description A time in which the recording is complete. */
        CoverageSpan: {
            /**
             * @description Why the span is held to be complete. `sequence`: no number of its messages is missing. `snapshot`: a later whole book equals the rebuilt one. `silence`: nothing shows a loss, and the recording was never silent for long. `unknown`: a loss cannot be excluded. Null if the recording does not say
             * @example sequence
             */
            basis: ("sequence" | "snapshot" | "silence" | "unknown") | null;
            /**
             * @description Whose clock dates the observations: that of the `receipt`, or of the `venue` if nobody noted a receipt
             * @example receipt
             */
            clock: ("receipt" | "venue") | null;
            /**
             * @description End in Unix seconds
             * @example 1778763701.5
             */
            end_ts: number;
            /**
             * @description `l2` has order books, `top` has best prices only
             * @example l2
             * @enum {string}
             */
            layer: "top" | "l2";
            /**
             * @description Start in Unix seconds
             * @example 1778763600.25
             */
            start_ts: number;
        };
        /** @description A new API key, including its secret. */
        CreatedApiKey: {
            /**
             * @description Time as of which the key reads the archive, in Unix seconds. Null if it reads the present
             * @default null
             * @example null
             */
            as_of: number | null;
            /**
             * @description Time when the key was created, in Unix seconds
             * @example 1771992900.5
             */
            created_ts: number;
            /**
             * @description Id of the key. It is not secret
             * @example 7hq2mz0b4k9c1d5e8f3g
             */
            id: string;
            /** @description Time when the key was last used, in Unix seconds. Null if unknown */
            last_used_ts: number | null;
            /**
             * @description Last 4 characters of the key
             * @example x7Qa
             */
            last4: string;
            /**
             * @description Display name
             * @example notebook
             */
            name: string;
            /**
             * @description Beginning of the key
             * @example ak_live_7hq2mz0b4k9c1d5e8f3g
             */
            prefix: string;
            /** @description Time when the key was revoked, in Unix seconds. Null if the key is active */
            revoked_ts: number | null;
            /** @description The whole key. It is shown only in this answer. Null if this answer repeats an earlier one */
            secret: string | null;
            /** @description True if an earlier request with the same `Idempotency-Key` created the key. Then `secret` is null */
            secret_already_shown?: boolean;
            /**
             * @description Status of the key. A revoked key is not accepted
             * @example active
             * @enum {string}
             */
            status: "active" | "revoked";
        };
        /** @description A difference between a dataset and the archive. */
        DatasetChange: {
            /**
             * @description `data_version`: the data of the market changed. `added`: the target has this market only now. `removed`: the target no longer has it. `schema_version`: the columns changed. `bytes`: a new file has other bytes
             * @example data_version
             * @enum {string}
             */
            change: "data_version" | "added" | "removed" | "schema_version" | "bytes";
            /**
             * @description Version now, otherwise null
             * @example 13
             */
            now: number | null;
            /** @description Ticker of the market. Null if the change is of the whole file */
            ticker: string | null;
            /**
             * @description Version in the dataset, otherwise null
             * @example 12
             */
            was: number | null;
        };
        /** @description An error that lists what changed since a dataset was made. */
        DatasetChangedError: {
            /** @description What changed, by ticker. At most the first 100 */
            changes: components["schemas"]["DatasetChange"][];
            /**
             * @description Total number of changes
             * @example 1
             */
            changes_n: number;
            /** @description Error code for programs. It never changes. [All error codes](docs/errors) */
            code: string;
            /** @description What is wrong and what to do, for people */
            detail: string;
            /** @description What the answer does not show by itself. Absent if there is nothing to say */
            notices?: components["schemas"]["Notice"][];
            /**
             * @description Id of the request, as in the `X-Request-Id` header. Use it to report a problem
             * @example 0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11
             */
            request_id: string;
        };
        /** @description A file that can be cited. It shows what the file contains, and never who made or bought it. */
        DatasetResponse: {
            /**
             * @description Size of the file in bytes
             * @example 90103
             */
            bytes: number;
            citation: components["schemas"]["Citation"];
            /**
             * @description Media type of the file
             * @example text/csv
             */
            content_type: string;
            /**
             * @description Id of the dataset: `ds-` and the first 32 digits of `sha256`. With `as_of`, 32 digits that follow from both
             * @example ds-9f86d081884c7d659a2feaa0c55ad015
             */
            dataset_id: string;
            /**
             * @description File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades` or both, and `tardis_csv` has either the stream `l2` or `trades`
             * @example csv
             * @enum {string}
             */
            format: "csv" | "parquet" | "json" | "jsonl.gz" | "hftbacktest" | "tardis_csv";
            /** @description Target and options of the export, the data version of each market, known gaps, and the version of the columns */
            manifest: components["schemas"]["ExportManifest"];
            /**
             * @description Number of markets in the file
             * @example 1
             */
            markets: number;
            /**
             * @description Number of rows in the file
             * @example 450
             */
            row_count: number;
            /** @description SHA-256 of the file in hexadecimal */
            sha256: string;
            /**
             * @description UTC year in which the file was first made
             * @example 2026
             */
            year: number;
        };
        /** @description A message that no delivery could process. */
        DeadLetter: {
            /**
             * @description Number of the dead letter in `almanac dead-letters`
             * @example 812
             */
            number: number;
            /**
             * @description Why it could not be processed
             * @example The object store refuses the file
             */
            reason: string;
            /**
             * @description Sequence of the message in its stream
             * @example 91
             */
            sequence: number;
            /**
             * @description When it was stored, in Unix seconds
             * @example 1771993500.25
             */
            stored_ts: number;
            /**
             * @description Subject of the message
             * @example evt.export.a1b2c3d4e5f6.x1
             */
            subject: string;
        };
        EngineFormat: {
            /**
             * @description File format
             * @example hftbacktest
             * @enum {string}
             */
            id: "hftbacktest" | "tardis_csv";
            /**
             * @description Display name
             * @example CSV
             */
            label: string;
            /**
             * @description Programs that can open the format
             * @example Excel, pandas, R and DuckDB
             */
            opens_in: string;
        };
        /** @description Limits of the plan and current usage. */
        Entitlements: {
            /** @description API keys */
            api_keys: {
                /**
                 * @description Maximum number of active API keys. Null means no limit
                 * @example 10
                 */
                limit: number | null;
                /**
                 * @description Number in use
                 * @example 1
                 */
                used: number;
            };
            /**
             * @description Whether the plan covers exports
             * @example true
             */
            export_included: boolean;
            /** @description Pending exports */
            exports_pending: {
                /**
                 * @description Maximum number of pending exports. Null means no limit
                 * @example 5
                 */
                limit: number | null;
                /**
                 * @description Number in use
                 * @example 1
                 */
                used: number;
            };
            /** @description Exports in the current UTC day */
            exports_per_day: {
                /**
                 * @description Maximum number of exports per UTC day. Exports of events that you bought do not count. Null means no limit
                 * @example 200
                 */
                limit: number | null;
                /**
                 * @description Start of the next UTC day, in Unix seconds
                 * @example 1772064000
                 */
                resets_ts: number;
                /**
                 * @description Number in use
                 * @example 1
                 */
                used: number;
            };
            /**
             * @description Whether the plan includes order books in snapshots
             * @example false
             */
            full_book: boolean;
            /**
             * @description Whether the plan covers exports with order books. If not, an unlocked event or a free credit covers them
             * @example false
             */
            l2_export: boolean;
            /**
             * @description Maximum number of requests per minute. Null means no limit
             * @example 1200
             */
            requests_per_minute: number | null;
        };
        /** @description An error. */
        Error: {
            /** @description Error code for programs. It never changes. [All error codes](docs/errors) */
            code: string;
            /** @description What is wrong and what to do, for people */
            detail: string;
            /** @description What the answer does not show by itself. Absent if there is nothing to say */
            notices?: components["schemas"]["Notice"][];
            /**
             * @description Id of the request, as in the `X-Request-Id` header. Use it to report a problem
             * @example 0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11
             */
            request_id: string;
        };
        EventDetailResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Number of markets in this answer
             * @example 1
             */
            count: number;
            event: components["schemas"]["EventItem"];
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /** @description Markets by strike if they have strikes, otherwise by close */
            markets: components["schemas"]["Market"][];
            /**
             * @description `cursor` of the next page. Null on the last page
             * @example eyJ0IjoiS1hCVEMxNU0ifQ
             */
            next_cursor: string | null;
            /**
             * @description `archive` if the answer was read now, `cache` if its figures were computed before
             * @example archive
             * @enum {string}
             */
            source: "archive" | "cache";
            /** @description Markets of the event by strike. Null if they have no strikes */
            strike_ladder: components["schemas"]["StrikeLevel"][] | null;
            /**
             * @description `venue` if the title is from the venue, `almanac` if it was made from series and close
             * @example venue
             */
            title_source: ("venue" | "almanac") | null;
        };
        /** @description An event happens once and has one or more markets. Exports are sold per event. */
        EventItem: {
            /**
             * @description Slug of the category
             * @example crypto
             */
            category: string | null;
            /**
             * @description Latest close of all markets, in Unix seconds
             * @example 1771993800
             */
            close_ts: number | null;
            /**
             * @description Number of markets that are not live
             * @example 1
             */
            closed_n: number;
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event_ticker: string;
            /**
             * @description Number of live markets
             * @example 0
             */
            live_n: number;
            /**
             * @description Number of markets in the event
             * @example 1
             */
            markets_n: number;
            /**
             * @description Earliest open of all markets, in Unix seconds
             * @example 1771992900
             */
            open_ts: number | null;
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /**
             * @description `live` while at least one market is live, otherwise `closed` or `finalized`
             * @example finalized
             */
            status: string | null;
            /**
             * @description Title from the venue. If it has none, a title made from series and close
             * @example BTC price at 11:30 PM EST
             */
            title: string | null;
        };
        /** @description An event that you do not own. */
        EventPrice: {
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event: string;
            price: components["schemas"]["Money"];
        };
        EventSnapshotsResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Number of markets in this answer
             * @example 1
             */
            count: number;
            /** @description End of the window (exclusive), in Unix seconds */
            end_ts: number;
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event_ticker: string;
            /**
             * @description `fill` of the request
             * @example previous
             * @enum {string}
             */
            fill: "previous" | "none";
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /** @description Markets in the order of `GET /events/{event_id}` */
            markets: components["schemas"]["MarketColumns"][];
            /**
             * @description Number of markets of the event
             * @example 1
             */
            markets_n: number;
            /**
             * @description `cursor` of the next page. Null on the last page
             * @example eyJ0IjoiS1hCVEMxNU0ifQ
             */
            next_cursor: string | null;
            /**
             * @description `start_ts` of the next times of these markets, in Unix seconds. Null at the end of the window
             * @example null
             */
            next_start_ts: number | null;
            /** @description Start of the window (inclusive), in Unix seconds */
            start_ts: number;
            /**
             * @description Distance of the grid times in milliseconds
             * @example 1000
             */
            step_ms: number;
            /**
             * @description Grid times: multiples of the step since the epoch, in Unix seconds
             * @example [
             *       1771992900
             *     ]
             */
            ts: number[];
        };
        /**
         * @description Send exactly one target: `event`, `ticker`, `events`, `tickers`, `series` with `day`, `series` with `from` and `to`, or `dataset`. Null and `""` mean that a field is not set.
         * @example {
         *       "event": "KXBTC15M-26FEB242330",
         *       "streams": [
         *         "snapshots",
         *         "settlement"
         *       ],
         *       "format": "csv"
         *     }
         */
        ExportCreateRequest: {
            /**
             * @description Export the archive as it was known at this time, in Unix seconds: the markets that were listed by then, the rows received and the values known by then. With `dataset`, only a dataset as of this time or earlier exists. It may not be in the future
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description How CSV has texts that a spreadsheet would run as formulas, such as a ticker that begins with `=`. `keep` writes them unchanged. `escape` puts an apostrophe before a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return. Numbers and other formats never change
             * @default keep
             * @example keep
             * @enum {string}
             */
            csv_formulas?: "keep" | "escape";
            /**
             * @description Id of a dataset, of any account. Makes its file again with the same bytes. Send it alone: a dataset has its own target, streams and format
             * @example ds-9f86d081884c7d659a2feaa0c55ad015
             */
            dataset?: string | null;
            /** @description UTC calendar day of a day pack, as YYYY-MM-DD. Requires `series`. A row belongs to the pack of the UTC day of its `ts`, a candle to that of its `start_ts`. The only row of a market without any belongs to the last day on which the market was open */
            day?: string | null;
            /**
             * @description Ticker of an event. Exports all of its markets. Preferred
             * @example KXBTC15M-26FEB242330
             */
            event?: string | null;
            /**
             * @description Tickers of events. Exports all of their markets into one file. At most 100
             * @example [
             *       "KXBTC15M-26FEB242330"
             *     ]
             */
            events?: string[] | null;
            /**
             * @description File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades` or both, and `tardis_csv` has either the stream `l2` or `trades`
             * @default csv
             * @example csv
             * @enum {string}
             */
            format?: "csv" | "parquet" | "json" | "jsonl.gz" | "hftbacktest" | "tardis_csv";
            /** @description First UTC day of a range, as YYYY-MM-DD. Requires `series` and `to` */
            from?: string | null;
            /**
             * @description Type of prices, sizes and strikes: exact decimals, or `float` for 64-bit floating-point numbers, which pandas computes with
             * @default decimal
             * @example decimal
             * @enum {string}
             */
            numbers?: "decimal" | "float";
            /** @description Id of a series, for a day pack. Requires `day` */
            series?: string | null;
            /**
             * @description `none` for one file, or `day` for one export for each day of a series that has data
             * @default none
             * @example none
             * @enum {string}
             */
            split?: "none" | "day";
            /**
             * @description Data in the file. `snapshots` are sampled top-of-book prices, `sizes` adds the sizes at the best bid and ask, and `l2` has full order books. `settlement` is the outcome of the market, `trades` are trades, and `candles` are those of the venue, as it states them
             * @default [
             *       "snapshots",
             *       "settlement"
             *     ]
             * @example [
             *       "snapshots",
             *       "settlement"
             *     ]
             */
            streams?: ("snapshots" | "settlement" | "l2" | "trades" | "sizes" | "candles")[];
            /** @description Ticker of a market. Billed as the event of the market */
            ticker?: string | null;
            /**
             * @description Tickers of markets. Exports them into one file. At most 100
             * @example [
             *       "KXBTC15M-26FEB242330-30"
             *     ]
             */
            tickers?: string[] | null;
            /** @description Last UTC day of a range, as YYYY-MM-DD. At most 31 days from `from` to `to` */
            to?: string | null;
            /**
             * @description Whether a free export credit may pay for what neither an unlock nor your plan covers. With `false`, the answer is then 402, and no credit is spent
             * @default true
             */
            use_free_credit?: boolean;
        };
        /** @description A day in an export of a range. */
        ExportedDay: {
            /**
             * @description UTC day, as YYYY-MM-DD
             * @example 2026-02-25
             */
            day: string;
            /**
             * @description Number of rows of the day
             * @example 450
             */
            rows: number;
        };
        /** @description A market in an export. */
        ExportedMarket: {
            /**
             * @description Version of the market data in the file. Increases with each change. Null with `as_of`, because it counts later changes too
             * @example 12
             */
            data_version: number | null;
            /**
             * @description Number of rows of the market. Null if they were not counted
             * @example 450
             */
            rows: number | null;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
        };
        ExportFormat: {
            /**
             * @description File format
             * @example csv
             * @enum {string}
             */
            id: "csv" | "parquet" | "json" | "jsonl.gz";
            /**
             * @description Display name
             * @example CSV
             */
            label: string;
            /**
             * @description Programs that can open the format
             * @example Excel, pandas, R and DuckDB
             */
            opens_in: string;
        };
        ExportFormatsResponse: {
            /** @description The file formats of backtest engines, in which each row is a change of a price level, or a trade */
            engine_formats: components["schemas"]["EngineFormat"][];
            /** @description The file formats with a row for each observation, trade or market */
            formats: components["schemas"]["ExportFormat"][];
        };
        /** @description A period without recorded data. */
        ExportGap: {
            /**
             * @description End of the gap, in Unix seconds. Null if the gap has not ended
             * @example 1771992930.5
             */
            end_ts: number | null;
            /**
             * @description `all` if nothing is known, `books` if prices are known
             * @default all
             * @example all
             * @enum {string}
             */
            missing: "all" | "books";
            /**
             * @description Reason for the gap
             * @example messages are missing in the sequence
             */
            reason: string;
            /**
             * @description Start of the gap, in Unix seconds
             * @example 1771992900.5
             */
            start_ts: number;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
        };
        /** @description The exports of one request. */
        ExportGroup: {
            /**
             * @description Number of exports
             * @example 2
             */
            count: number;
            /** @description One export for each day with data, by day */
            exports: components["schemas"]["ExportResponse"][];
            /** @description Id of the request. `GET /exports?group=` lists its exports */
            group: string;
            /** @description What the request did that you may not expect, such as the use of a free credit */
            remarks: string[];
        };
        /** @description An export in a list. `GET /exports/{export_id}` returns all of its fields. */
        ExportListItem: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Size of the file in bytes. 0 until the export is ready
             * @default 0
             * @example 90103
             */
            bytes: number;
            /**
             * @description Time when the export was created, in Unix seconds
             * @example 1772064000.25
             */
            created_ts: number;
            /**
             * @description UTC calendar day of a day pack, as YYYY-MM-DD
             * @example 2026-02-25
             */
            day: string | null;
            /** @description Why the export failed. Null if it did not fail */
            error: string | null;
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event: string | null;
            /**
             * @description File name
             * @example KXBTC15M-26FEB242330_snapshots-settlement.csv
             */
            filename: string | null;
            /**
             * @description File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades` or both, and `tardis_csv` has either the stream `l2` or `trades`
             * @example csv
             * @enum {string}
             */
            format: "csv" | "parquet" | "json" | "jsonl.gz" | "hftbacktest" | "tardis_csv";
            from: string | null;
            /**
             * @description Id of the request with `split: day` that created the export, otherwise null
             * @example 48dda3c2-1b8a-4b4e-9e0a-563b09253609
             */
            group: string | null;
            /**
             * @description Id of the export (UUID)
             * @example 48dda3c2-1b8a-4b4e-9e0a-563b09253609
             */
            id: string;
            /**
             * @description Time when the export became ready, in Unix seconds. Null until then
             * @example 1772064001.75
             */
            ready_ts: number | null;
            /**
             * @description Number of rows in the file. Null until the export is ready
             * @example 450
             */
            row_count: number | null;
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /**
             * @description Status of the export. `pending` until the file is ready
             * @example ready
             * @enum {string}
             */
            status: "pending" | "ready" | "failed" | "cancelled";
            /**
             * @description Data in the file. `snapshots` are sampled top-of-book prices, `sizes` adds the sizes at the best bid and ask, and `l2` has full order books. `settlement` is the outcome of the market, `trades` are trades, and `candles` are those of the venue, as it states them
             * @example [
             *       "snapshots",
             *       "settlement"
             *     ]
             */
            streams: ("snapshots" | "settlement" | "l2" | "trades" | "sizes" | "candles")[];
            /**
             * @description Ticker of the market, if the export is for one market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string | null;
            to: string | null;
        };
        ExportListResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Number of exports in this answer
             * @example 1
             */
            count: number;
            /** @description Exports, newest first */
            exports: components["schemas"]["ExportListItem"][];
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /**
             * @description `cursor` of the next page. Null on the last page
             * @example eyJ0IjoiS1hCVEMxNU0ifQ
             */
            next_cursor: string | null;
        };
        /** @description Exact contents of a file. Two files with the same manifest have the same bytes. */
        ExportManifest: {
            /** @description Every day of a range, also those without rows. Absent for other exports */
            days?: components["schemas"]["ExportedDay"][];
            /** @description Known gaps in the data, by market and time. At most the first 10,000 */
            gaps: components["schemas"]["ExportGap"][];
            /**
             * @description Total number of gaps
             * @default 0
             * @example 0
             */
            gaps_n: number;
            /** @description All markets of the export, by ticker */
            markets: components["schemas"]["ExportedMarket"][];
            /** @description Target and options of the export, after resolving the target */
            query: components["schemas"]["ExportQuery"];
            /**
             * @description Number of rows in the file
             * @example 450
             */
            row_count: number;
            /**
             * @description Version of the columns and types
             * @example 1
             */
            schema_version: number;
        };
        /** @description Target and options of an export. With `day`, the target is one day of `series`, and with `from` and `to` a range of days. With `events` or `tickers`, it is a list. With `ticker`, it is one market of `event`. Otherwise it is all markets of `event`. */
        ExportQuery: {
            /** @description Present if the file has the archive as it was known at this time, in Unix seconds */
            as_of?: number;
            /**
             * @description Present if texts that a spreadsheet would run as formulas begin with an apostrophe
             * @constant
             */
            csv_formulas?: "escape";
            /**
             * @description UTC calendar day of a day pack, as YYYY-MM-DD
             * @example 2026-02-25
             */
            day: string | null;
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event: string | null;
            /**
             * @description Tickers of the events, in order
             * @example [
             *       "KXBTC15M-26FEB242330"
             *     ]
             */
            events?: string[];
            /**
             * @description File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades` or both, and `tardis_csv` has either the stream `l2` or `trades`
             * @example csv
             * @enum {string}
             */
            format: "csv" | "parquet" | "json" | "jsonl.gz" | "hftbacktest" | "tardis_csv";
            /**
             * @description First UTC day of a range, as YYYY-MM-DD
             * @example 2026-02-24
             */
            from?: string;
            /**
             * @description Type of prices, sizes and strikes: exact decimals, or `float` for 64-bit floating-point numbers, which pandas computes with
             * @default decimal
             * @example decimal
             * @enum {string}
             */
            numbers: "decimal" | "float";
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /**
             * @description Data in the file. `snapshots` are sampled top-of-book prices, `sizes` adds the sizes at the best bid and ask, and `l2` has full order books. `settlement` is the outcome of the market, `trades` are trades, and `candles` are those of the venue, as it states them
             * @example [
             *       "snapshots",
             *       "settlement"
             *     ]
             */
            streams: ("snapshots" | "settlement" | "l2" | "trades" | "sizes" | "candles")[];
            /**
             * @description Ticker of the market, if the export is for one market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string | null;
            /**
             * @description Tickers of the markets, in order
             * @example [
             *       "KXBTC15M-26FEB242330-30"
             *     ]
             */
            tickers?: string[];
            /**
             * @description Last UTC day of a range, as YYYY-MM-DD
             * @example 2026-02-25
             */
            to?: string;
        };
        /** @description What pays for an export, what it costs, and how large it is. */
        ExportQuote: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Estimated size of the file in bytes. Exact if the file already exists
             * @example 90103
             */
            bytes_estimate: number;
            /** @description What you would pay for the events of the export. 0 if the export is covered. Null if only a plan covers it */
            cost: components["schemas"]["Money"] | null;
            /**
             * @description Always true: no export was created
             * @example true
             * @constant
             */
            dry_run: true;
            /**
             * @description What would pay for the export. Null if it would be refused
             * @example plan
             */
            grant: ("unlock" | "plan" | "free_credit") | null;
            /**
             * @description Number of markets in the file
             * @example 1
             */
            markets: number;
            /** @description What you can buy to get the export. Any one option is enough. Empty if the export is covered */
            options: (components["schemas"]["BuyEventOption"] | components["schemas"]["BuyEventsOption"] | components["schemas"]["UpgradeOption"])[];
            /** @description The days, events or markets of the request, each as an export of its own */
            parts: components["schemas"]["QuotedPart"][];
            /** @description What the request would do that you may not expect, such as the use of a free credit */
            remarks: string[];
            /**
             * @description Number of rows in the file
             * @example 450
             */
            row_count: number;
            /** @description Error that the request would return now. Null if it would succeed */
            would: {
                /**
                 * @description Error code
                 * @example payment_required
                 * @enum {string}
                 */
                code: "payment_required" | "export_daily_limit" | "export_pending_limit";
                /** @description Explanation for people */
                detail: string;
                /** @description What you can buy to get the export, cheapest first. Any one option is enough */
                options: (components["schemas"]["BuyEventOption"] | components["schemas"]["BuyEventsOption"] | components["schemas"]["UpgradeOption"])[];
                /** @description Seconds to wait before the next attempt. Null if waiting does not help */
                retry_after_s: number | null;
                /**
                 * @description HTTP status
                 * @example 402
                 */
                status: 402 | 429;
            } | null;
        };
        /** @description An export and its progress. */
        ExportResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Size of the file in bytes. 0 until the export is ready
             * @default 0
             * @example 90103
             */
            bytes: number;
            /** @description How to cite the file. Null until the export is ready */
            citation: components["schemas"]["Citation"] | null;
            /**
             * @description Media type of the file
             * @example text/csv
             */
            content_type: string | null;
            /**
             * @description Time when the export was created, in Unix seconds
             * @example 1772064000.25
             */
            created_ts: number;
            /**
             * @description How CSV has texts that a spreadsheet would run as formulas, such as a ticker that begins with `=`. `keep` writes them unchanged. `escape` puts an apostrophe before a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return. Numbers and other formats never change
             * @example keep
             * @enum {string}
             */
            csv_formulas: "keep" | "escape";
            /**
             * @description Id of the file as a dataset, from its SHA-256 and `as_of`. `GET /datasets/{dataset_id}` shows it to everybody who has an API key and the id. Null until the export is ready, unless it was created from a dataset
             * @example ds-9f86d081884c7d659a2feaa0c55ad015
             */
            dataset_id: string | null;
            /**
             * @description UTC calendar day of a day pack, as YYYY-MM-DD
             * @example 2026-02-25
             */
            day: string | null;
            /** @description Short-lived signed URL of the file. It needs no API key. Null until the export is ready */
            download_url: string | null;
            /** @description Why the export failed. Null if it did not fail */
            error: string | null;
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event: string | null;
            /** @description Tickers of the events of a list, otherwise null */
            events: string[] | null;
            /**
             * @description Seconds until `download_url` expires
             * @default 0
             * @example 900
             */
            expires_in_s: number;
            /**
             * @description File name
             * @example KXBTC15M-26FEB242330_snapshots-settlement.csv
             */
            filename: string | null;
            /**
             * @description File format. Two are for backtest engines: `hftbacktest` has one `ticker` with the streams `l2`, `trades` or both, and `tardis_csv` has either the stream `l2` or `trades`
             * @example csv
             * @enum {string}
             */
            format: "csv" | "parquet" | "json" | "jsonl.gz" | "hftbacktest" | "tardis_csv";
            from: string | null;
            /**
             * @description What pays for the export: `unlock`, `plan` or `free_credit`
             * @example plan
             */
            grant: string | null;
            /**
             * @description Id of the request with `split: day` that created the export, otherwise null
             * @example 48dda3c2-1b8a-4b4e-9e0a-563b09253609
             */
            group: string | null;
            /**
             * @description Id of the export (UUID)
             * @example 48dda3c2-1b8a-4b4e-9e0a-563b09253609
             */
            id: string;
            /** @description Exact contents of the file. Null until the export is ready */
            manifest: components["schemas"]["ExportManifest"] | null;
            /**
             * @description Number of markets in the file. Null until the export is ready
             * @example 1
             */
            markets: number | null;
            /**
             * @description Type of prices, sizes and strikes: exact decimals, or `float` for 64-bit floating-point numbers, which pandas computes with
             * @default decimal
             * @example decimal
             * @enum {string}
             */
            numbers: "decimal" | "float";
            /**
             * @description Share of the file that is prepared, from 0 to 1. Null if the export failed or was cancelled
             * @example 1
             */
            progress: number | null;
            /**
             * @description Time when the export became ready, in Unix seconds. Null until then
             * @example 1772064001.75
             */
            ready_ts: number | null;
            /** @description What the request did that you may not expect, such as the use of a free credit */
            remarks: string[];
            /**
             * @description Number of rows in the file. Null until the export is ready
             * @example 450
             */
            row_count: number | null;
            /**
             * @description Number of rows written so far. Null if the export failed or was cancelled
             * @example 450
             */
            rows_done: number | null;
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /** @description SHA-256 of the file in hexadecimal. Null until the export is ready */
            sha256: string | null;
            /**
             * @description Status of the export. `pending` until the file is ready
             * @example ready
             * @enum {string}
             */
            status: "pending" | "ready" | "failed" | "cancelled";
            /** @description Key of the file in the object storage. Null until the export is ready */
            storage_key: string | null;
            /**
             * @description Data in the file. `snapshots` are sampled top-of-book prices, `sizes` adds the sizes at the best bid and ask, and `l2` has full order books. `settlement` is the outcome of the market, `trades` are trades, and `candles` are those of the venue, as it states them
             * @example [
             *       "snapshots",
             *       "settlement"
             *     ]
             */
            streams: ("snapshots" | "settlement" | "l2" | "trades" | "sizes" | "candles")[];
            /**
             * @description Ticker of the market, if the export is for one market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string | null;
            /** @description Tickers of the markets of a list, otherwise null */
            tickers: string[] | null;
            to: string | null;
        };
        /** @description Free export credits. They stay on every plan. One credit pays for an export of one event that is not unlocked and that the plan does not cover. */
        FreeExportCredit: {
            /**
             * @description Number of credits granted
             * @example 1
             */
            granted: number;
            /**
             * @description Number of credits left
             * @example 1
             */
            remaining: number;
            /**
             * @description Number of credits used
             * @example 0
             */
            used: number;
        };
        /** @description The request has invalid fields. */
        HTTPValidationError: {
            /** @description Error code for programs. It never changes. [All error codes](docs/errors) */
            code: string;
            /** @description All problems: first of the path, then of the query, the body and the headers */
            detail: components["schemas"]["ValidationError"][];
            /** @description What the answer does not show by itself. Absent if there is nothing to say */
            notices?: components["schemas"]["Notice"][];
            /**
             * @description Id of the request, as in the `X-Request-Id` header. Use it to report a problem
             * @example 0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11
             */
            request_id: string;
        };
        KeysResponse: {
            /**
             * @description Number of keys in this answer, including revoked keys
             * @example 1
             */
            count: number;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /** @description API keys, newest first. The first answer has all active keys and the 100 keys that were revoked last. The next answers have earlier revoked keys */
            keys: components["schemas"]["ApiKey"][];
            /**
             * @description Maximum number of active keys in the plan. Null means no limit
             * @example 10
             */
            limit: number | null;
            /**
             * @description `cursor` of the next page. Null on the last page
             * @example eyJ0IjoiS1hCVEMxNU0ifQ
             */
            next_cursor: string | null;
        };
        /** @description An error that names the pending exports. */
        LimitError: {
            /** @description Error code for programs. It never changes. [All error codes](docs/errors) */
            code: string;
            /** @description What is wrong and what to do, for people */
            detail: string;
            /** @description What the answer does not show by itself. Absent if there is nothing to say */
            notices?: components["schemas"]["Notice"][];
            /** @description Ids of up to 20 pending exports of the account, newest first. Only with `export_pending_limit` */
            pending_exports?: string[];
            /**
             * @description Id of the request, as in the `X-Request-Id` header. Use it to report a problem
             * @example 0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11
             */
            request_id: string;
        };
        /** @description A market is a question with a yes side and a no side. */
        Market: {
            /**
             * @description Recorded data: `top` for the top of the book, `l2` for full order books
             * @example l2
             */
            capture: string | null;
            /**
             * @description Slug of the category
             * @example crypto
             */
            category: string | null;
            /**
             * @description Time when trading closes, in Unix seconds
             * @example 1771993800
             */
            close_ts: number | null;
            /**
             * @description Coin price in USD at the close. If the source has no price, the last price observed at or before the close, at most 60 seconds earlier, otherwise null. Null while the market is live
             * @example 65573.37
             */
            coin_price_end: number | null;
            /**
             * @description Coin price in USD at the open. If the source has no price, the last price observed at or before the open, at most 60 seconds earlier, otherwise null
             * @example 65434.98
             */
            coin_price_start: number | null;
            /**
             * @description Ticker of the event that the market belongs to
             * @example KXBTC15M-26FEB242330
             */
            event_ticker: string | null;
            /**
             * @description Value that the market was settled on
             * @example 65573.37
             */
            expiration_value: number | null;
            /**
             * @description Strike value, in the unit of the underlying
             * @example 65434.98
             */
            floor_strike: number | null;
            /**
             * @description Time when trading opens, in Unix seconds
             * @example 1771992900
             */
            open_ts: number | null;
            /**
             * @description Outcome of the market, such as `yes` or `no`
             * @example yes
             */
            result: string | null;
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /**
             * @description Time when the market was settled, in Unix seconds
             * @example 1771993875.66696
             */
            settlement_ts: number | null;
            /**
             * @description `rolling` if the series always has a next market
             * @example rolling
             */
            shape: string | null;
            /**
             * @description Status at the time of the answer: `live` before the close, `finalized` when the result or settlement is known, otherwise `closed`
             * @example finalized
             */
            status: string | null;
            /**
             * @description How the outcome compares to the strike
             * @example greater_or_equal
             */
            strike_type: string | null;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
            /**
             * @description Title from the venue. If it has none, a title made from series, strike and close
             * @example BTC price up in the next 15 minutes?
             */
            title: string | null;
            /**
             * @description With `as_of`: fields of which no value was known by then, or whose values have no knowledge time. They are null. Absent without `as_of`
             * @example [
             *       "result",
             *       "settlement_ts"
             *     ]
             */
            withheld?: string[];
        };
        /** @description A value of a market, and when it was known. */
        MarketChange: {
            /**
             * @description Where `known_ts` comes from: `recorded` is the time when a recorder received it, `venue` a time of the venue, such as the creation or the settlement. `inferred` follows from another time, such as an early close from the close. Of two sources, the better basis counts, then the earlier time
             * @example recorded
             */
            basis: ("recorded" | "venue" | "inferred") | null;
            /**
             * @description What changed: `venue_status` is the status in the words of the venue, `close_ts` the close, `result` the outcome, `settlement_value` what a contract of the yes side paid
             * @example result
             * @enum {string}
             */
            field: "venue_status" | "close_ts" | "result" | "settlement_value";
            /**
             * @description Time from which this was known to the world, in Unix seconds. Never the time when Almanac imported it. Null if no source tells it
             * @example 1771992900.25
             */
            known_ts: number | null;
            /**
             * @description Value from then on. A close is in Unix seconds, and a settlement value a fraction of 1. An empty text: the venue took the value back
             * @example yes
             */
            value: string | number;
        };
        /** @description Values of a market at the grid times. */
        MarketColumns: {
            /**
             * @description Ages of the observations in milliseconds, null if unknown, one for each time of `ts`
             * @example [
             *       0.51,
             *       null
             *     ]
             */
            age_ms: (number | null)[];
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
            /**
             * @description Best asks on the yes side, one for each time of `ts`
             * @example [
             *       0.51,
             *       null
             *     ]
             */
            yes_best_ask: (number | null)[];
            /**
             * @description Best bids on the yes side, one for each time of `ts`
             * @example [
             *       0.51,
             *       null
             *     ]
             */
            yes_best_bid: (number | null)[];
        };
        MarketDetailResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Age of the observation behind the coin price, at the close, in seconds. Null if the source states the price, and without a price
             * @example 0.942
             */
            coin_price_end_age_s: number | null;
            /**
             * @description Age of the observation behind the coin price, at the open, in seconds. Null if the source states the price, and without a price
             * @example 0.942
             */
            coin_price_start_age_s: number | null;
            /** @description Fee of the series now. Null if no source has one */
            fee: components["schemas"]["MarketFee"] | null;
            /** @description Changes of status, close, result and settlement value, the earliest known first, and those of unknown time last. A value is listed once, from when it was first known */
            history: components["schemas"]["MarketChange"][];
            /**
             * @description Whether later changes may be missing, because 32 values of one field are kept
             * @example false
             */
            history_has_more: boolean;
            market: components["schemas"]["Market"];
            /** @description Rules that were known last. Null if no source has them */
            rules: components["schemas"]["MarketRules"] | null;
            /**
             * @description What a contract of the yes side paid at the settlement, as a fraction of 1: 1 or 0 after `yes` or `no`, and another value after a fractional payout or a void market. Null before the settlement, and if no source states it
             * @example 1
             */
            settlement_value: number | null;
            /**
             * @description `archive` if the answer was read now, `cache` if its figures were computed before
             * @example archive
             * @enum {string}
             */
            source: "archive" | "cache";
            /** @description Price steps that were known last. Null if no source has them */
            tick_size: components["schemas"]["MarketTickSize"] | null;
            /**
             * @description `venue` if the title is from the venue, `almanac` if it was made from series, strike and close
             * @example venue
             */
            title_source: ("venue" | "almanac") | null;
            /**
             * @description Number of stored trades. Null with `as_of`
             * @example 450
             */
            trades_n: number | null;
            /**
             * @description Id of the venue that lists the market. Null if no source has stated it, also for markets that were imported by a release before it was stored, until they are imported again
             * @example kalshi
             */
            venue: string | null;
            /**
             * @description Number of contracts in the stored trades. Null without trades
             * @example 43775.5
             */
            volume: number | null;
            /**
             * @description With `as_of`: fields of this answer that are null because nothing of them was known by then, or because they have no knowledge time. `market` has its own list. Absent without `as_of`
             * @example [
             *       "volume",
             *       "trades_n"
             *     ]
             */
            withheld?: string[];
        };
        /** @description The trading fee of the series of a market. */
        MarketFee: {
            /**
             * @description Where `known_ts` comes from: `recorded` is the time when a recorder received it, `venue` a time of the venue, such as the creation or the settlement. `inferred` follows from another time, such as an early close from the close. Of two sources, the better basis counts, then the earlier time
             * @example recorded
             */
            basis: ("recorded" | "venue" | "inferred") | null;
            /**
             * @description Time from which this was known to the world, in Unix seconds. Never the time when Almanac imported it. Null if no source tells it
             * @example 1771992900.25
             */
            known_ts: number | null;
            /**
             * @description Factor of the fee. Null if the venue states none
             * @example 1
             */
            multiplier: number | null;
            /**
             * @description Kind of fee in the words of the venue
             * @example quadratic
             */
            type: string;
            /**
             * @description Time from which the fee is valid, in Unix seconds: the time that the venue states, otherwise `known_ts`
             * @example 1771992900.25
             */
            valid_from_ts: number | null;
        };
        /** @description The last observation of a market at a time. */
        MarketMoment: {
            /**
             * @description Age of the observation at the requested time, in milliseconds
             * @example 412.5
             */
            age_ms: number | null;
            /**
             * @description Requested time, in Unix seconds
             * @example 1771993365.5
             */
            at_ts: number;
            /**
             * @description Coin price in USD
             * @example 65541.895
             */
            coin_price?: number | null;
            /**
             * @description Sequence number from the venue
             * @example 4711
             */
            seq?: number | null;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
            /**
             * @description Time of the last observation at or before `at_ts`, in Unix seconds. Null if there is none, or if a gap follows it
             * @example 1771993365.058297
             */
            ts: number | null;
            /**
             * @description Time of the observation at the venue, in Unix seconds
             * @example 1771993365.05
             */
            venue_ts?: number | null;
            /**
             * @description Best ask on the yes side, as a fraction of 1
             * @example 0.87
             */
            yes_best_ask?: number | null;
            /**
             * @description Size at the best ask on the yes side, in contracts. Null if it is unknown, or if that side is empty
             * @example 300
             */
            yes_best_ask_size?: number | null;
            /**
             * @description Best bid on the yes side, as a fraction of 1
             * @example 0.86
             */
            yes_best_bid?: number | null;
            /**
             * @description Size at the best bid on the yes side, in contracts. Null if it is unknown, or if that side is empty
             * @example 300
             */
            yes_best_bid_size?: number | null;
        };
        /** @description What is stored of a market in a range of days, and what is missing. */
        MarketQuality: {
            /**
             * @description `verified` if all recorded spans of books in the range rest on numbered messages or on later whole books. `contradicted` if the recording itself contradicts a book. `unverifiable` otherwise. Null without books
             * @example verified
             */
            book_quality: ("verified" | "unverifiable" | "contradicted") | null;
            /**
             * @description Number of these with an order book
             * @example 900
             */
            books: number;
            /**
             * @description Time when trading closes, in Unix seconds
             * @example 1771993800
             */
            close_ts: number | null;
            /**
             * @description Seconds of `expected_s` with a complete recording. Null if no recording of the market states its completeness
             * @example 897.25
             */
            covered_s: number | null;
            /**
             * @description `covered_s` as a share of `expected_s`
             * @example 0.996944
             */
            covered_share: number | null;
            /**
             * @description Ticker of the event that the market belongs to
             * @example KXBTC15M-26FEB242330
             */
            event_ticker: string | null;
            /**
             * @description Seconds between open and close in the range, until now for a live market. Null if open or close is unknown
             * @example 900
             */
            expected_s: number | null;
            /**
             * @description Time of the first observation in the range, in Unix seconds
             * @example 1771992901.5
             */
            first_ts: number | null;
            /**
             * @description Seconds of the gaps in the range. A gap without an end lasts until now
             * @example 2.75
             */
            gap_s: number;
            /** @description The gaps that reach into the range, oldest first, with the times of the preview. At most the first 100 */
            gaps: components["schemas"]["QualityGap"][];
            /**
             * @description Number of gaps that reach into the range
             * @example 1
             */
            gaps_n: number;
            /**
             * @description Time of the last observation in the range, in Unix seconds
             * @example 1771993799.8
             */
            last_ts: number | null;
            /**
             * @description Seconds of the longest gap in the range. 0 without gaps
             * @example 2.75
             */
            longest_gap_s: number;
            /**
             * @description Time when trading opens, in Unix seconds
             * @example 1771992900
             */
            open_ts: number | null;
            /**
             * @description Number of stored observations in the range
             * @example 900
             */
            rows: number;
            /**
             * @description Status at the time of the answer: `live` before the close, `finalized` when the result or settlement is known, otherwise `closed`
             * @example finalized
             */
            status: string | null;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
            /**
             * @description Title from the venue. If it has none, a title made from series, strike and close
             * @example BTC price up in the next 15 minutes?
             */
            title: string | null;
            /**
             * @description Number of trades in the range. Null if no trades of the market are stored
             * @example 120
             */
            trades: number | null;
        };
        /** @description The rules of a market. */
        MarketRules: {
            /**
             * @description Where `known_ts` comes from: `recorded` is the time when a recorder received it, `venue` a time of the venue, such as the creation or the settlement. `inferred` follows from another time, such as an early close from the close. Of two sources, the better basis counts, then the earlier time
             * @example recorded
             */
            basis: ("recorded" | "venue" | "inferred") | null;
            /**
             * @description Time from which this was known to the world, in Unix seconds. Never the time when Almanac imported it. Null if no source tells it
             * @example 1771992900.25
             */
            known_ts: number | null;
            /**
             * @description Rules of the resolution, as the venue words them. The secondary rules follow after an empty line
             * @example If the price is at least 65434.98 at the close, the market resolves to Yes.
             */
            text: string;
            /**
             * @description Time from which this version is valid, in Unix seconds: the time that the venue states, otherwise `known_ts`
             * @example 1771992900.25
             */
            valid_from_ts: number | null;
        };
        MarketsAtResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Number of pairs of a market and a time
             * @example 2
             */
            count: number;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /** @description One item for each pair, by market and time in the order of the request */
            snapshots: components["schemas"]["MarketMoment"][];
        };
        MarketsResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Number of items in this answer
             * @example 1
             */
            count: number;
            /**
             * @description Whether the server chose the time window, because the request has no `from_ts`, `to_ts`, `event` and `q`. Live markets are in the list whatever their close time
             * @example true
             */
            defaulted: boolean;
            /**
             * @description Earliest close time in this list, in Unix seconds. Null without a bound, and if no matching market has closed
             * @example 1771907400
             */
            from_ts: number | null;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /**
             * @description Whether the default window left out matching markets that closed earlier. To get them, send a larger `days`, or `from_ts` and `to_ts`
             * @example false
             */
            has_older: boolean;
            /** @description Markets in this answer: newest close first, then by ticker. With `changed_since_ts`, the earliest change first */
            markets: components["schemas"]["Market"][];
            /**
             * @description `cursor` of the next page. Null on the last page. With `changed_since_ts` it is never null: send it later to get what changed since
             * @example eyJ0IjoiS1hCVEMxNU0ifQ
             */
            next_cursor: string | null;
            /**
             * @description `archive` if the answer was read now, `cache` if its figures were computed before
             * @example archive
             * @enum {string}
             */
            source: "archive" | "cache";
            /**
             * @description Latest close time in this list, in Unix seconds. Null without a bound
             * @example 1771993800
             */
            to_ts: number | null;
        };
        /** @description The price steps of a market. */
        MarketTickSize: {
            /**
             * @description Where `known_ts` comes from: `recorded` is the time when a recorder received it, `venue` a time of the venue, such as the creation or the settlement. `inferred` follows from another time, such as an early close from the close. Of two sources, the better basis counts, then the earlier time
             * @example recorded
             */
            basis: ("recorded" | "venue" | "inferred") | null;
            /**
             * @description Time from which this was known to the world, in Unix seconds. Never the time when Almanac imported it. Null if no source tells it
             * @example 1771992900.25
             */
            known_ts: number | null;
            /** @description Price steps by range */
            ranges: components["schemas"]["TickRange"][];
            /**
             * @description Time from which these steps are valid, in Unix seconds: the time that the venue states, otherwise `known_ts`
             * @example 1771992900.25
             */
            valid_from_ts: number | null;
            /**
             * @description Smallest price step of all ranges, as a fraction of 1
             * @example 0.01
             */
            value: number;
        };
        /** @description An amount in minor units of its currency. */
        Money: {
            /**
             * @description Amount in minor units, such as cents
             * @example 4900
             */
            amount: number;
            /**
             * @description Currency code (ISO 4217)
             * @example USD
             */
            currency: string;
        };
        /** @description A notice about the request or its answer. */
        Notice: {
            /**
             * @description Code of the notice for programs. It never changes
             * @example unknown_parameter
             */
            code: string;
            /**
             * @description What the answer does not show, and what to do, for people
             * @example The query parameter limits does not exist and was ignored. Did you mean limit?
             */
            detail: string;
            /**
             * @description Location in the request: `path`, `query`, `body` or `header`, then the field. Null if the notice is about the answer
             * @example [
             *       "query",
             *       "limits"
             *     ]
             */
            loc: (string | number)[] | null;
            /**
             * @description Nearest name or value that the server knows. Null if none is similar
             * @example limit
             */
            nearest: string | null;
        };
        /** @description Any answer that is a JSON object can have notices. */
        Noticed: {
            /** @description What the answer does not show by itself. Absent if there is nothing to say */
            notices?: components["schemas"]["Notice"][];
        };
        /** @description Figures of the running system over the last day. */
        OperatorHistory: {
            /**
             * @description Seconds between two samples
             * @example 60
             */
            every_s: number;
            /** @description Whether samples outlive a restart of the gateway */
            has_folder: boolean;
            /** @description Samples of the last day, oldest first */
            samples: components["schemas"]["OperatorSample"][];
            /**
             * @description How long a sample is stored, in seconds
             * @example 86400
             */
            stored_s: number;
        };
        /** @description What the system did in a minute, and its state at the end of it. */
        OperatorSample: {
            /**
             * @description Dead letters of all consumers
             * @example 0
             */
            dead_letters: number;
            /**
             * @description Size of this disk
             * @example 256000000000
             */
            disk_bytes: number | null;
            /**
             * @description Free bytes of the disk with the folder `HISTORY_FOLDER`. Null without a folder
             * @example 182000000000
             */
            disk_free_bytes: number | null;
            /**
             * @description How many of them were answered with a status of 500 or more
             * @example 0
             */
            errors: number;
            /**
             * @description Resident memory of all processes of each service that answered
             * @example {
             *       "gateway": 92274688,
             *       "export": 88080384
             *     }
             */
            memory_bytes: {
                [key: string]: number;
            };
            /**
             * @description In how many milliseconds 95% of them were answered, without event streams and files. Null without a request
             * @example 12.5
             */
            p95_ms: number | null;
            /**
             * @description Requests that all gateways answered in this time
             * @example 480
             */
            requests: number;
            /**
             * @description Seconds since the sample before, in which its requests were answered. Zero for the first one
             * @example 60
             */
            seconds: number;
            /**
             * @description Bytes of all streams at NATS
             * @example 20971520
             */
            stream_bytes: number;
            /**
             * @description When it was taken, in Unix seconds
             * @example 1771993500.25
             */
            ts: number;
            /**
             * @description Messages that wait for all durable consumers
             * @example 12
             */
            waiting: number;
        };
        /** @description The state of the running system. */
        OperatorStatus: {
            /** @description Durable consumers and their backlog */
            consumers: components["schemas"]["ConsumerStatus"][];
            /** @description Dead letters of each consumer that has some */
            dead_letters: components["schemas"]["ConsumerDeadLetters"][];
            /** @description Faults that these figures show, most urgent first */
            faults: components["schemas"]["SystemFault"][];
            /**
             * @description Release of nats-server
             * @example 2.12.1
             */
            nats_version: string;
            /** @description Processes that answered */
            processes: components["schemas"]["ProcessReport"][];
            /** @description The gateway and every service */
            services: components["schemas"]["ServiceReport"][];
            /** @description Streams */
            streams: components["schemas"]["StreamStatus"][];
            /**
             * @description Time of this report, in Unix seconds
             * @example 1771993500.25
             */
            ts: number;
            unreadable: components["schemas"]["UnreadableMessages"];
        };
        /** @description An error that lists what you can buy. */
        PaymentRequiredError: {
            /** @description Error code for programs. It never changes. [All error codes](docs/errors) */
            code: string;
            /** @description What is wrong and what to do, for people */
            detail: string;
            /** @description What the answer does not show by itself. Absent if there is nothing to say */
            notices?: components["schemas"]["Notice"][];
            /** @description What you can buy to get the export, cheapest first. Any one option is enough */
            options: (components["schemas"]["BuyEventOption"] | components["schemas"]["BuyEventsOption"] | components["schemas"]["UpgradeOption"])[];
            /**
             * @description Id of the request, as in the `X-Request-Id` header. Use it to report a problem
             * @example 0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11
             */
            request_id: string;
        };
        /** @description What is stored of markets in a day or hour, and what is missing. */
        PeriodQuality: {
            /**
             * @description Seconds of `expected_s` with a complete recording. Null if no recording of these markets states its completeness
             * @example 86100.5
             */
            covered_s: number | null;
            /**
             * @description `covered_s` as a share of `expected_s`
             * @example 0.996944
             */
            covered_share: number | null;
            /**
             * @description End of the day or hour (exclusive), in Unix seconds
             * @example 1772064000
             */
            end_ts: number;
            /**
             * @description Seconds between open and close of all markets of which both are known, until now for live markets. Those of which no recording states its completeness count too
             * @example 86400
             */
            expected_s: number;
            /**
             * @description Seconds of these gaps in the day or hour
             * @example 299.5
             */
            gap_s: number;
            /**
             * @description Number of gaps that reach into the day or hour, of all markets
             * @example 3
             */
            gaps_n: number;
            /**
             * @description Number of markets that were open
             * @example 96
             */
            markets_n: number;
            /**
             * @description Number of these with a gap
             * @example 2
             */
            markets_with_gaps_n: number;
            /**
             * @description Number of stored observations of all markets
             * @example 86100
             */
            rows: number;
            /**
             * @description Start of the day or hour (inclusive), in Unix seconds
             * @example 1771977600
             */
            start_ts: number;
            /**
             * @description Number of stored trades of all markets
             * @example 11520
             */
            trades: number;
        };
        Plan: {
            /**
             * @description Id of the plan
             * @example pro
             * @enum {string}
             */
            id: "free" | "pro" | "full_book" | "internal";
            /**
             * @description Display name
             * @example Pro
             */
            name: string;
            /** @description Price per month */
            price: components["schemas"]["Money"];
        };
        PlanResponse: {
            entitlements: components["schemas"]["Entitlements"];
            free_export_credit: components["schemas"]["FreeExportCredit"];
            plan: components["schemas"]["Plan"];
            /** @description All plans that you can have, from the smallest to the largest */
            plans: components["schemas"]["PublicPlan"][];
        };
        PortalResponse: {
            /**
             * @description `stripe` if you pay on a hosted page. `stub` if the server has no payment provider and completes the purchase at once
             * @example stripe
             * @enum {string}
             */
            mode: "stub" | "stripe";
            /**
             * @description URL of the billing portal of the payment provider, for cards, invoices and cancellation. Null if the server has no payment provider
             * @example https://billing.example.com/p/session/bps_1a2b3c
             */
            portal_url: string | null;
        };
        /** @description Stored data of the market. */
        PreviewCoverage: {
            /**
             * @description Seconds between open and close with a complete recording of order books
             * @example 897.25
             */
            books_covered_s: number | null;
            /**
             * @description Seconds between open and close with a complete recording. Null if no recording of the market states its completeness
             * @example 897.25
             */
            covered_s: number | null;
            /**
             * @description `covered_s` as a share of the time from open to close, or until now for a live market
             * @example 0.996944
             */
            covered_share: number | null;
            /**
             * @description Time of the first stored observation, in Unix seconds
             * @example 1771992901.5
             */
            first_print_ts: number | null;
            /**
             * @description Total length of all gaps in seconds. A gap without an end lasts until the end of the window
             * @default 0
             * @example 2.75
             */
            gap_s: number;
            /**
             * @description Gaps between open and close, oldest first. At most the last 1,000
             * @default []
             */
            gaps: components["schemas"]["CoverageGap"][];
            /**
             * @description Total number of gaps
             * @default 0
             * @example 1
             */
            gaps_n: number;
            /**
             * @description Whether order books were captured
             * @default false
             */
            has_l2: boolean;
            /**
             * @description Time of the last stored observation, in Unix seconds
             * @example 1771993799.8
             */
            last_print_ts: number | null;
            /**
             * @description Number of stored observations
             * @default 0
             * @example 450
             */
            prints: number;
            /**
             * @description Recorded spans, oldest first. At most the last 1,000
             * @default []
             */
            spans: components["schemas"]["CoverageSpan"][];
            /**
             * @description Total number of recorded spans
             * @default 0
             * @example 2
             */
            spans_n: number;
            /** @description Candles of the venue that are stored, by period. Absent without any. `/candles` answers them */
            venue_candles?: components["schemas"]["VenueCandleRange"][];
        };
        PreviewResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Cache that the preview comes from. Null if it was not cached
             * @example redis
             */
            cache_source: ("redis" | "memory") | null;
            /**
             * @description Whether the preview comes from the cache
             * @example true
             */
            cached: boolean | null;
            /**
             * @description Whether the path has at least 2 points
             * @default false
             * @example true
             */
            chartable: boolean;
            /**
             * @description Whether the window was shortened to the maximum length
             * @example false
             */
            clamped: boolean | null;
            /**
             * @description Number of observations in this answer
             * @example 450
             */
            count: number;
            /** @description What is stored of the market. Null while `pending` is true: nothing is known yet */
            coverage: components["schemas"]["PreviewCoverage"] | null;
            /**
             * @description End of the window (exclusive), in Unix seconds
             * @example 1771993800
             */
            end_ts: number;
            /**
             * @description Whether more items follow this answer
             * @example false
             */
            has_more: boolean;
            /**
             * @description Whether the snapshots have order books
             * @example false
             */
            include_book: boolean;
            /**
             * @description Plan of the API key
             * @example pro
             */
            key_mode: string | null;
            /** @description Up to 3 order books. Included in every plan */
            l2_sample: components["schemas"]["BookSample"][];
            /**
             * @description `l2` if a snapshot in this answer has an order book, otherwise `top`
             * @example top
             */
            layer: string | null;
            market: components["schemas"]["Market"] | null;
            /**
             * @description Number of stored observations in the window
             * @example 450
             */
            matched: number;
            /**
             * @description `start_ts` of the next page, in Unix seconds. Null on the last page
             * @example 1771993801
             */
            next_start_ts: number | null;
            /** @description Why requested order books are not included. Null if nothing was left out */
            notice: string | null;
            /** @description YES price path: at most 300 observations, one per `step_ms` */
            path: components["schemas"]["Snapshot"][];
            /**
             * @description Whether the preview is still being prepared. If true, request it again after a short time
             * @default false
             * @example false
             */
            pending: boolean;
            /**
             * @description Whether the answer is a preview
             * @example false
             */
            preview: boolean | null;
            /** @description First 20 stored rows of the window, oldest first */
            sample: components["schemas"]["Snapshot"][];
            /**
             * @description Version of the preview format
             * @default 3
             * @example 3
             */
            schema: number;
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /** @description Last observation of each step, oldest first */
            snapshots: components["schemas"]["Snapshot"][];
            /**
             * @description Start of the window (inclusive), in Unix seconds
             * @example 1771992900
             */
            start_ts: number;
            /**
             * @description Downsampling step in milliseconds. 0 means every stored row
             * @example 1000
             */
            step_ms: number;
            /**
             * @description Kind of the series: `rolling` or `event`
             * @example rolling
             */
            style: string | null;
            /** @description Last 20 stored rows of the window, oldest first */
            tape: components["schemas"]["Snapshot"][];
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
            useful: components["schemas"]["PreviewUseful"];
            /**
             * @description Length of the window in seconds
             * @example 900
             */
            window_s: number | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The part of the window that is useful to study. */
        PreviewUseful: {
            /**
             * @description End of the useful part, in Unix seconds
             * @example 1771993700.25
             */
            end_ts: number | null;
            /**
             * @description Why it ends: `locked` (the outcome is certain), `closed`, or `live` (not ended yet)
             * @example locked
             */
            reason: string | null;
            /**
             * @description Time of the first quote with a bid and an ask, in Unix seconds
             * @example 1771992901.5
             */
            start_ts: number | null;
        };
        /** @description An error in the form of RFC 9457. */
        ProblemDetails: {
            /** @description Error code for programs. It never changes. [All error codes](docs/errors) */
            code: string;
            /** @description What is wrong and what to do, for people */
            detail: string;
            /** @description The invalid fields, for status 422 */
            errors?: unknown[];
            /** @description What the answer does not show by itself. Absent if there is nothing to say */
            notices?: components["schemas"]["Notice"][];
            /**
             * @description Id of the request, as in the `X-Request-Id` header. Use it to report a problem
             * @example 0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11
             */
            request_id: string;
            /** @description HTTP status */
            status: number;
            /** @description Meaning of the error code */
            title?: string;
            /**
             * @description Path of the page about the error code
             * @example /docs/errors/market_not_found
             */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description A process of the gateway or of a service. */
        ProcessReport: {
            /** @description Checks that fail. A process can be ready although an optional check fails */
            faults: {
                /**
                 * @description Name of the check
                 * @example redis
                 */
                check: string;
                /**
                 * @description What it found
                 * @example no answer within 2000 ms
                 */
                outcome: string;
            }[];
            /**
             * @description Host and process number
             * @example worker-1/4711
             */
            instance: string;
            /**
             * @description Resident memory. Null for a process of an earlier release
             * @example 92274688
             */
            memory_bytes: number | null;
            /**
             * @description Events of a newer release that it delays. It reports at most 100
             * @example 0
             */
            newer_events: number;
            /** @description Whether it accepts work */
            ready: boolean;
            /**
             * @description Its service
             * @example export
             */
            service: string;
            /**
             * @description Start of the process, in Unix seconds
             * @example 1771990000.5
             */
            started_ts: number;
            /**
             * @description Release that it runs
             * @example 0.1.0
             */
            version: string;
        };
        /** @description A plan with its price, its limits and what it covers. */
        PublicPlan: {
            /**
             * @description Maximum number of active API keys. Null means no limit
             * @example 10
             */
            api_keys: number | null;
            /**
             * @description Whether the plan covers exports
             * @example true
             */
            export_included: boolean;
            /**
             * @description Maximum number of pending exports. Null means no limit
             * @example 5
             */
            exports_pending: number | null;
            /**
             * @description Maximum number of exports per UTC day. Exports of events that you bought do not count. Null means no limit
             * @example 200
             */
            exports_per_day: number | null;
            /**
             * @description Whether the plan includes order books in snapshots
             * @example false
             */
            full_book: boolean;
            /**
             * @description Id of the plan
             * @example pro
             * @enum {string}
             */
            id: "free" | "pro" | "full_book";
            /**
             * @description Whether the plan covers exports with order books. If not, an unlocked event or a free credit covers them
             * @example false
             */
            l2_export: boolean;
            /**
             * @description Display name
             * @example Pro
             */
            name: string;
            /** @description Price per month */
            price: components["schemas"]["Money"];
            /**
             * @description Maximum number of requests per minute. Null means no limit
             * @example 1200
             */
            requests_per_minute: number | null;
        };
        /** @description A gap, and on what the span before it rests. */
        QualityGap: {
            /**
             * @description `basis` of the recorded span that ends where the gap begins. Null without such a span, or if the recording does not say
             * @example sequence
             */
            basis: ("sequence" | "snapshot" | "silence" | "unknown") | null;
            /**
             * @description Time at which the market was known again, in Unix seconds. Null if it is still unknown
             * @example 1778763704.25
             */
            end_ts: number | null;
            /**
             * @description `all` if nothing is known, `books` if prices are known and order books are not
             * @example all
             * @enum {string}
             */
            missing: "all" | "books";
            /**
             * @description Reason for the gap
             * @example messages are missing in the sequence
             */
            reason: string;
            /**
             * @description Last time at which the market was known, in Unix seconds
             * @example 1778763701.5
             */
            start_ts: number;
        };
        QualityResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description `by` of the request
             * @example market
             * @enum {string}
             */
            by: "market" | "day" | "hour";
            /**
             * @description Number of markets, days or hours in this answer
             * @example 96
             */
            count: number;
            /** @description End of the range (exclusive), in Unix seconds: that of the last day, or now if it is not over */
            end_ts: number;
            /**
             * @description First UTC day, as YYYY-MM-DD
             * @example 2026-02-24
             */
            from: string;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /** @description With `by=market`. Otherwise empty */
            markets: components["schemas"]["MarketQuality"][];
            /**
             * @description Number of markets that were open in the range
             * @example 96
             */
            markets_n: number;
            /**
             * @description Number of these with a gap in the range
             * @example 2
             */
            markets_with_gaps_n: number;
            /**
             * @description `cursor` of the next page. Null on the last page
             * @example eyJ0IjoiS1hCVEMxNU0ifQ
             */
            next_cursor: string | null;
            /** @description With `by=day` or `by=hour`. Otherwise empty */
            periods: components["schemas"]["PeriodQuality"][];
            /** @description Start of the range (inclusive), in Unix seconds */
            start_ts: number;
            /**
             * @description Last UTC day, as YYYY-MM-DD
             * @example 2026-02-24
             */
            to: string;
        };
        /** @description A part of an export. */
        QuotedPart: {
            /** @description Price of the events of the part that you do not own, 0 if it is covered. An event in several parts is sold once. Null if only a plan covers the part */
            cost: components["schemas"]["Money"] | null;
            /**
             * @description UTC day of the part, if the request has days
             * @example 2026-02-25
             */
            day: string | null;
            /**
             * @description Event of the part, if the request has no days
             * @example KXBTC15M-26FEB242330
             */
            event: string | null;
            /**
             * @description What would pay for the part. Null if nothing does
             * @example plan
             */
            grant: ("unlock" | "plan" | "free_credit") | null;
            /**
             * @description Number of markets of the part
             * @example 1
             */
            markets: number;
            /** @description Why nothing pays for the part, or why it has no rows. Otherwise null */
            reason: string | null;
            /**
             * @description Number of rows of the part
             * @example 450
             */
            row_count: number;
        };
        /** @description A series, event or market that matches the search. */
        SearchHit: {
            /**
             * @description Slug of the category
             * @example crypto
             */
            category: string | null;
            /**
             * @description Close time, in Unix seconds
             * @example 1771993800
             */
            close_ts: number | null;
            /**
             * @description Ticker of the event
             * @example KXBTC15M-26FEB242330
             */
            event_ticker: string | null;
            /**
             * @description Id or ticker of the hit
             * @example KXBTC15M-26FEB242330-30
             */
            id: string;
            /**
             * @description Kind of the hit
             * @example market
             * @enum {string}
             */
            kind: "series" | "event" | "market";
            /**
             * @description Relevance of the hit. Higher is better
             * @example 1
             */
            score: number;
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /**
             * @description Status: `live`, `closed` or `finalized`
             * @example finalized
             */
            status: string | null;
            /**
             * @description Title of the hit
             * @example BTC price up in the next 15 minutes?
             */
            title: string | null;
        };
        SearchResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description The words that were searched instead, if nothing matches `q`: each unknown word is replaced by the word of the nearest spelling. Absent otherwise, and always with `as_of`
             * @example bitcoin price
             */
            corrected_query?: string;
            /**
             * @description Number of items in this answer
             * @example 1
             */
            count: number;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /** @description Hits, best first */
            hits: components["schemas"]["SearchHit"][];
            /**
             * @description Maximum number of hits in this answer
             * @example 40
             */
            limit: number;
            /**
             * @description `offset` of the next page. Null on the last page, and when the next offset would exceed 10000. In that case, narrow the time filters
             * @example 40
             */
            next_offset: number | null;
            /**
             * @description Number of skipped hits
             * @example 0
             */
            offset: number;
            /**
             * @description Search words of the request
             * @example btc 15 minutes
             */
            q: string;
        };
        SeriesDetailResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Number of markets in this answer
             * @example 1
             */
            count: number;
            /** @description Events of the series. Absent if the series is rolling */
            events?: components["schemas"]["EventItem"][];
            /** @description Whether the series has more events */
            events_has_more?: boolean;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /**
             * @description `venue` if the label is from the venue, `almanac` if it was made from the id or named by an import
             * @example venue
             */
            label_source: ("venue" | "almanac") | null;
            /** @description Markets in this answer: newest close first, then by ticker */
            markets: components["schemas"]["Market"][];
            /**
             * @description `event_offset` of the next page of events. Null on the last page
             * @example 80
             */
            next_event_offset?: number | null;
            /**
             * @description `offset` of the next page. Null on the last page, and when the next offset would exceed 10000. In that case, narrow the time filters
             * @example 40
             */
            next_offset: number | null;
            series: components["schemas"]["SeriesItem"];
            /**
             * @description `archive` if the answer was read now, `cache` if its figures were computed before
             * @example archive
             * @enum {string}
             */
            source: "archive" | "cache";
        };
        /** @description A series groups markets of one kind. */
        SeriesItem: {
            /**
             * @description Slug of the category
             * @example crypto
             */
            category: string | null;
            /**
             * @description Category name from the venue
             * @example Crypto
             */
            category_label: string | null;
            /**
             * @description Number of markets that are not live
             * @example 3624
             */
            closed_n: number | null;
            /**
             * @description Number of events in the series
             * @example 3625
             */
            events_n: number | null;
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            id: string;
            /**
             * @description Display name
             * @example Bitcoin price up down
             */
            label: string;
            /**
             * @description Latest close in the past, in Unix seconds
             * @example 1775319300
             */
            last_close_ts: number | null;
            /**
             * @description Number of live markets
             * @example 1
             */
            live_n: number | null;
            /**
             * @description Number of markets in the series
             * @example 3625
             */
            markets_n: number | null;
            /**
             * @description Earliest open of all markets, in Unix seconds
             * @example 1771992900
             */
            min_open_ts: number | null;
            /**
             * @description Earliest close in the future, in Unix seconds
             * @example 1775320200
             */
            next_close_ts: number | null;
            /**
             * @description Title of one market of the series
             * @example BTC price up in the next 15 minutes?
             */
            sample_title: string | null;
            /**
             * @description `rolling` if the series always has a next market
             * @example rolling
             */
            shape: string | null;
            /**
             * @description `live` while at least one market is live, otherwise `closed` or `finalized`
             * @example live
             */
            status: string | null;
        };
        SeriesResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Number of items in this answer
             * @example 1
             */
            count: number;
            /**
             * @description Total number of events that match the filters
             * @example 1
             */
            events_n: number | null;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /**
             * @description Total number of markets that match the filters
             * @example 1
             */
            markets_n: number | null;
            /**
             * @description `offset` of the next page. Null on the last page, and when the next offset would exceed 10000. In that case, narrow the time filters
             * @example 40
             */
            next_offset: number | null;
            /**
             * @description Time when the cached figures were computed, in Unix seconds. Null with `as_of`
             * @example 1775319300.25
             */
            saved_ts: number | null;
            /** @description Series in this answer: live series first, then by newest close, then by id */
            series: components["schemas"]["SeriesItem"][];
            /**
             * @description Total number of series that match the filters
             * @example 1
             */
            series_n: number | null;
            source: ("archive" | "cache") | null;
        };
        /** @description A service, and whether it answered. */
        ServiceReport: {
            /** @description Processes that answered. Zero means that the service is silent */
            processes: number;
            /**
             * @description Name of the service
             * @example export
             */
            service: string;
            /** @description False if the service did not report its streams, so they are missing from this answer */
            streams_known: boolean;
        };
        /** @description A stored observation. Sizes and order books are included only on request. */
        Snapshot: {
            /**
             * @description Coin price in USD
             * @example 65541.895
             */
            coin_price: number | null;
            /**
             * @description Bids on the no side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in contracts. Null if no order book was captured
             * @example [
             *       [
             *         0.86,
             *         300
             *       ]
             *     ]
             */
            orderbook_no?: [
                number,
                number
            ][] | null;
            /**
             * @description Bids on the yes side, best first, each as `[price, size]`. The price is a fraction of 1, the size is in contracts. Null if no order book was captured
             * @example [
             *       [
             *         0.86,
             *         300
             *       ]
             *     ]
             */
            orderbook_yes?: [
                number,
                number
            ][] | null;
            /**
             * @description Sequence number from the venue
             * @example 4711
             */
            seq: number | null;
            /**
             * @description Time of the observation, in Unix seconds
             * @example 1771993365.058297
             */
            ts: number | null;
            /**
             * @description Time of the observation at the venue, in Unix seconds
             * @example 1771993365.05
             */
            venue_ts: number | null;
            /**
             * @description Best ask on the yes side, as a fraction of 1
             * @example 0.87
             */
            yes_best_ask: number | null;
            /**
             * @description Size at the best ask on the yes side, in contracts. Null if it is unknown, or if that side is empty
             * @example 300
             */
            yes_best_ask_size?: number | null;
            /**
             * @description Best bid on the yes side, as a fraction of 1
             * @example 0.86
             */
            yes_best_bid: number | null;
            /**
             * @description Size at the best bid on the yes side, in contracts. Null if it is unknown, or if that side is empty
             * @example 300
             */
            yes_best_bid_size?: number | null;
        } & {
            [key: string]: unknown;
        };
        SnapshotsResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Whether the window was shortened to the maximum length
             * @example false
             */
            clamped: boolean | null;
            /**
             * @description Number of observations in this answer
             * @example 450
             */
            count: number;
            /**
             * @description End of the window (exclusive), in Unix seconds
             * @example 1771993800
             */
            end_ts: number;
            /**
             * @description Whether more items follow this answer
             * @example false
             */
            has_more: boolean;
            /**
             * @description Whether the snapshots have order books
             * @example false
             */
            include_book: boolean;
            /**
             * @description Plan of the API key
             * @example pro
             */
            key_mode: string | null;
            /**
             * @description `l2` if a snapshot in this answer has an order book, otherwise `top`
             * @example top
             */
            layer: string | null;
            market: components["schemas"]["Market"] | null;
            /**
             * @description Number of stored observations in the window
             * @example 450
             */
            matched: number;
            /**
             * @description `start_ts` of the next page, in Unix seconds. Null on the last page
             * @example 1771993801
             */
            next_start_ts: number | null;
            /** @description Why requested order books are not included. Null if nothing was left out */
            notice: string | null;
            /**
             * @description Whether the answer is a preview
             * @example false
             */
            preview: boolean | null;
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /** @description Last observation of each step, oldest first */
            snapshots: components["schemas"]["Snapshot"][];
            /**
             * @description Start of the window (inclusive), in Unix seconds
             * @example 1771992900
             */
            start_ts: number;
            /**
             * @description Downsampling step in milliseconds. 0 means every stored row
             * @example 1000
             */
            step_ms: number;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
        };
        /** @description A stream of NATS. */
        StreamStatus: {
            /**
             * @description Stored bytes
             * @example 2097152
             */
            bytes: number;
            /** @description False if NATS does not have the stream */
            exists: boolean;
            /**
             * @description Storage limit of the stream. Null means no limit
             * @example null
             */
            limit_bytes: number | null;
            /**
             * @description Stored messages
             * @example 1840
             */
            messages: number;
            /**
             * @description Time of the newest message, in Unix seconds
             * @example 1771993500.25
             */
            newest_ts: number | null;
            /**
             * @description Name of the stream at NATS
             * @example EVT_EXPORT
             */
            stream: string;
        };
        /** @description One market in a strike ladder. */
        StrikeLevel: {
            /**
             * @description Strike value, in the unit of the underlying
             * @example 65434.98
             */
            floor_strike: number | null;
            /**
             * @description Outcome of the market, such as `yes` or `no`
             * @example yes
             */
            result: string | null;
            /**
             * @description Status at the time of the answer: `live` before the close, `finalized` when the result or settlement is known, otherwise `closed`
             * @example finalized
             */
            status: string | null;
            /**
             * @description How the outcome compares to the strike
             * @example greater_or_equal
             */
            strike_type: string | null;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
        };
        /** @description A fault of the running system, with its remedy. */
        SystemFault: {
            /**
             * @description What is wrong
             * @example No process of export answers.
             */
            fault: string;
            /**
             * @description What to do
             * @example Start it, or read its log. A process that cannot start logs the reason in one line.
             */
            remedy: string;
        };
        /** @description A range of prices with one step. */
        TickRange: {
            /**
             * @description Highest price of the range
             * @example 1
             */
            end: number;
            /**
             * @description Lowest price of the range
             * @example 0
             */
            start: number;
            /**
             * @description Price step in the range
             * @example 0.01
             */
            step: number;
        };
        /** @description A trade of a market. */
        Trade: {
            /**
             * @description Price on the yes side, as a fraction of 1
             * @example 0.06
             */
            price: number;
            /**
             * @description Number of contracts
             * @example 93.51
             */
            size: number;
            /**
             * @description Side that the taker bought. Selling yes is buying no. Null if the source has no side
             * @example yes
             */
            taker_side: ("yes" | "no") | null;
            /**
             * @description Id of the trade at the venue
             * @example 961535f3-d80f-5462-e91d-88d4fe6db285
             */
            trade_id: string;
            /**
             * @description Time of the trade, in Unix seconds: when the recorder received it. If no recorder did, the time at the venue
             * @example 1771993365.058297
             */
            ts: number;
            /**
             * @description Time of the trade at the venue, in Unix seconds
             * @example 1771993365.05
             */
            venue_ts: number | null;
        };
        TradesResponse: {
            /**
             * @description `as_of` of the request. Absent without it
             * @example 1771993500
             */
            as_of?: number;
            /**
             * @description Number of trades in this answer
             * @example 450
             */
            count: number;
            /**
             * @description End of the window (exclusive), in Unix seconds. Null without a bound
             * @example 1771993800
             */
            end_ts: number | null;
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /**
             * @description `cursor` of the next page. Null on the last page
             * @example eyJ0IjoiS1hCVEMxNU0ifQ
             */
            next_cursor: string | null;
            /**
             * @description `asc` for oldest first, `desc` for newest first
             * @example asc
             * @enum {string}
             */
            order: "asc" | "desc";
            /**
             * @description Id of the series
             * @example KXBTC15M
             */
            series: string | null;
            /**
             * @description Start of the window (inclusive), in Unix seconds. Null without a bound
             * @example 1771992900
             */
            start_ts: number | null;
            /**
             * @description Ticker of the market
             * @example KXBTC15M-26FEB242330-30
             */
            ticker: string;
            /** @description Trades by time, then by id */
            trades: components["schemas"]["Trade"][];
        };
        /** @description Messages that cannot be read as events. */
        UnreadableMessages: {
            /**
             * @description Messages of event streams that are no events
             * @example 0
             */
            count: number;
            /** @description At most 20 of them */
            examples: {
                /**
                 * @description Its sequence in the stream
                 * @example 7
                 */
                sequence: number;
                /**
                 * @description Event stream of the message
                 * @example EVT_KEYS
                 */
                stream: string;
            }[];
        };
        UpgradeBody: {
            /**
             * @description Plan to upgrade to
             * @example pro
             * @enum {string}
             */
            tier_id: "pro" | "full_book";
        };
        /** @description Upgrade to a plan that covers the export. */
        UpgradeOption: {
            /** @description Price per month */
            price: components["schemas"]["Money"];
            /**
             * @description Id of the plan
             * @example pro
             * @enum {string}
             */
            tier_id: "free" | "pro" | "full_book" | "internal";
            /**
             * @description Kind of the option
             * @constant
             */
            type: "upgrade";
        };
        /** @description A plan upgrade. */
        UpgradeResponse: {
            /**
             * @description URL of the hosted payment page. Null if there is nothing to pay
             * @example https://checkout.example.com/c/pay/cs_live_a1b2c3
             */
            checkout_url: string | null;
            /**
             * @description `stripe` if you pay on a hosted page. `stub` if the server has no payment provider and completes the purchase at once
             * @example stripe
             * @enum {string}
             */
            mode: "stub" | "stripe";
            /**
             * @description Requested plan. With a hosted checkout, it becomes active after the payment
             * @example pro
             * @enum {string}
             */
            plan: "free" | "pro" | "full_book" | "internal";
            /**
             * @description What you should know about the payment
             * @example [
             *       "This server has no payment provider, so no payment was taken."
             *     ]
             */
            remarks?: string[];
        };
        /** @description One problem in the request. */
        ValidationError: {
            /**
             * @description Details of the problem, such as the limit that was exceeded
             * @example {
             *       "le": 200
             *     }
             */
            ctx?: {
                [key: string]: unknown;
            };
            /**
             * @description Value that was sent. For a query parameter, the raw text
             * @example 201
             */
            input: unknown;
            /**
             * @description Location of the problem: `path`, `query`, `body` or `header`, then the field
             * @example [
             *       "query",
             *       "limit"
             *     ]
             */
            loc: (string | number)[];
            /**
             * @description What is wrong and what to do, for people
             * @example Input should be less than or equal to 200
             */
            msg: string;
            /**
             * @description Kind of the problem, for programs
             * @example less_than_equal
             */
            type: string;
        };
        /** @description Stored candles of a venue in one period. */
        VenueCandleRange: {
            /**
             * @description Number of candles
             * @example 39
             */
            candles: number;
            /**
             * @description End of the last one, in Unix seconds
             * @example 1775106000
             */
            end_ts: number;
            /**
             * @description Length of their period in seconds
             * @example 3600
             */
            period_s: number;
            /**
             * @description Whose candles they are
             * @example kalshi
             */
            source: string;
            /**
             * @description Start of the first one, in Unix seconds
             * @example 1774965600
             */
            start_ts: number;
        };
        /** @description A webhook without its secret. */
        Webhook: {
            /**
             * @description Time when the webhook was created, in Unix seconds
             * @example 1771992900.5
             */
            created_ts: number;
            /**
             * @description Display name
             * @example notebook refresh
             */
            description: string;
            /** @description Why the server disabled the webhook. Null if it is enabled */
            disabled_reason: string | null;
            /** @description Time when the server disabled the webhook, in Unix seconds. Null if it is enabled */
            disabled_ts: number | null;
            /**
             * @description Types of events that are sent
             * @example [
             *       "export.ready",
             *       "export.failed"
             *     ]
             */
            events: ("export.created" | "export.ready" | "export.failed" | "export.cancelled" | "market.settled" | "market.data_changed")[];
            /**
             * @description Id of the webhook
             * @example 7hq2mz0b4k9c1d5e8f
             */
            id: string;
            /** @description Until this time, in Unix seconds, deliveries also have a signature of the secret before. Null without one */
            previous_secret_expires_ts: number | null;
            /**
             * @description Series whose markets’ events are sent
             * @example [
             *       "KXBTC15M"
             *     ]
             */
            series: string[];
            /**
             * @description Status. A disabled webhook gets no deliveries
             * @example enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /**
             * @description Tickers of the markets whose events are sent
             * @example [
             *       "KXBTC15M-26FEB242330-30"
             *     ]
             */
            tickers: string[];
            /**
             * @description Address that gets the deliveries
             * @example https://research.example.com/almanac
             */
            url: string;
        };
        /** @description An attempt to deliver an event. */
        WebhookAttempt: {
            /**
             * @description Number of the attempt, from 1
             * @example 1
             */
            attempt: number;
            /**
             * @description Duration of the attempt in milliseconds
             * @example 84
             */
            duration_ms: number;
            /** @description Why the attempt failed. Null if it succeeded */
            error: string | null;
            /**
             * @description Id of the delivery, which is its `webhook-id` header
             * @example msg_5f0c3a1be2d94c7788aa
             */
            id: string;
            /** @description Time of the next attempt, in Unix seconds. Null if there is none */
            next_attempt_ts: number | null;
            /**
             * @description Id of the export, or ticker of the market. Deliveries of one object are sent in order
             * @example KXBTC15M-26FEB242330-30
             */
            object: string;
            /**
             * @description HTTP status of the answer. Null without an answer
             * @example 200
             */
            response_status: number | null;
            /**
             * @description Time of the attempt, in Unix seconds
             * @example 1771992900.5
             */
            sent_ts: number;
            /**
             * @description Whether the address answered with a status from 200 to 299
             * @example succeeded
             * @enum {string}
             */
            status: "succeeded" | "failed";
            /**
             * @description Type of the event
             * @example export.ready
             */
            type: string;
        };
        WebhookBody: {
            /**
             * @description Display name, up to 80 characters
             * @default
             * @example notebook refresh
             */
            description?: string;
            /**
             * @description Types of events to send
             * @example [
             *       "export.ready",
             *       "export.failed"
             *     ]
             */
            events: ("export.created" | "export.ready" | "export.failed" | "export.cancelled" | "market.settled" | "market.data_changed")[];
            /**
             * @description Send events of all markets of these series. Events of markets need at least one ticker or series. Up to 50
             * @default []
             * @example [
             *       "KXBTC15M"
             *     ]
             */
            series?: string[];
            /**
             * @description Send events of these markets. Events of markets need at least one ticker or series. Up to 50
             * @default []
             * @example [
             *       "KXBTC15M-26FEB242330-30"
             *     ]
             */
            tickers?: string[];
            /**
             * @description Address that gets the deliveries, 1 to 500 characters: `https`, without a user name, at a public host. The server follows no redirect
             * @example https://research.example.com/almanac
             */
            url: string;
        };
        WebhookDeliveriesResponse: {
            /**
             * @description Number of attempts in this answer
             * @example 1
             */
            count: number;
            /** @description Attempts, newest first */
            deliveries: components["schemas"]["WebhookAttempt"][];
            /** @description Whether more items follow this answer */
            has_more: boolean;
            /**
             * @description `cursor` of the next page. Null on the last page
             * @example eyJ0IjoiS1hCVEMxNU0ifQ
             */
            next_cursor: string | null;
        };
        /** @description A queued delivery. */
        WebhookDelivery: {
            /**
             * @description Id of the delivery, which is its `webhook-id` header
             * @example msg_5f0c3a1be2d94c7788aa
             */
            delivery_id: string;
        };
        WebhooksResponse: {
            /**
             * @description Number of webhooks
             * @example 1
             */
            count: number;
            /**
             * @description Maximum number of webhooks of an account
             * @example 20
             */
            limit: number;
            /** @description All webhooks of the account, newest first */
            webhooks: components["schemas"]["Webhook"][];
        };
        /** @description A webhook with its new secret. */
        WebhookWithSecret: {
            /**
             * @description Time when the webhook was created, in Unix seconds
             * @example 1771992900.5
             */
            created_ts: number;
            /**
             * @description Display name
             * @example notebook refresh
             */
            description: string;
            /** @description Why the server disabled the webhook. Null if it is enabled */
            disabled_reason: string | null;
            /** @description Time when the server disabled the webhook, in Unix seconds. Null if it is enabled */
            disabled_ts: number | null;
            /**
             * @description Types of events that are sent
             * @example [
             *       "export.ready",
             *       "export.failed"
             *     ]
             */
            events: ("export.created" | "export.ready" | "export.failed" | "export.cancelled" | "market.settled" | "market.data_changed")[];
            /**
             * @description Id of the webhook
             * @example 7hq2mz0b4k9c1d5e8f
             */
            id: string;
            /** @description Until this time, in Unix seconds, deliveries also have a signature of the secret before. Null without one */
            previous_secret_expires_ts: number | null;
            /** @description The secret that signs deliveries, in the form of Standard Webhooks. It is shown only in this answer. Null if this answer repeats an earlier one */
            secret: string | null;
            /** @description True if an earlier request with the same `Idempotency-Key` created the webhook. Then `secret` is null */
            secret_already_shown?: boolean;
            /**
             * @description Series whose markets’ events are sent
             * @example [
             *       "KXBTC15M"
             *     ]
             */
            series: string[];
            /**
             * @description Status. A disabled webhook gets no deliveries
             * @example enabled
             * @enum {string}
             */
            status: "enabled" | "disabled";
            /**
             * @description Tickers of the markets whose events are sent
             * @example [
             *       "KXBTC15M-26FEB242330-30"
             *     ]
             */
            tickers: string[];
            /**
             * @description Address that gets the deliveries
             * @example https://research.example.com/almanac
             */
            url: string;
        };
    };
    responses: {
        /** @description [`as_of_in_future`](docs/errors/as_of_in_future): `as_of` is in the future */
        AsOfInFuture: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "as_of_in_future";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`cart_empty`](docs/errors/cart_empty): the cart has no event to buy */
        CartEmpty: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "cart_empty";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`cart_full`](docs/errors/cart_full): the cart holds as many events as one checkout can sell */
        CartFull: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "cart_full";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`csrf_refused`](docs/errors/csrf_refused): a request with a session comes from another origin or lacks its `X-CSRF-Token` */
        CsrfRefused: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "csrf_refused";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`csrf_refused`](docs/errors/csrf_refused): a request with a session comes from another origin or lacks its `X-CSRF-Token`
         *     - [`as_of_fenced`](docs/errors/as_of_fenced): the key reads the archive as of a fixed time, and the request is for more
         */
        CsrfRefusedOrAsOfFenced: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "csrf_refused" | "as_of_fenced";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`csrf_refused`](docs/errors/csrf_refused): a request with a session comes from another origin or lacks its `X-CSRF-Token`
         *     - [`key_limit_reached`](docs/errors/key_limit_reached): the account has as many active API keys as its plan allows
         *     - [`as_of_fenced`](docs/errors/as_of_fenced): the key reads the archive as of a fixed time, and the request is for more
         */
        CsrfRefusedOrKeyLimitReachedOrAsOfFenced: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "csrf_refused" | "key_limit_reached" | "as_of_fenced";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`csrf_refused`](docs/errors/csrf_refused): a request with a session comes from another origin or lacks its `X-CSRF-Token`
         *     - [`webhook_limit_reached`](docs/errors/webhook_limit_reached): the account has as many webhooks as it may have
         *     - [`as_of_fenced`](docs/errors/as_of_fenced): the key reads the archive as of a fixed time, and the request is for more
         */
        CsrfRefusedOrWebhookLimitReachedOrAsOfFenced: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "csrf_refused" | "webhook_limit_reached" | "as_of_fenced";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`dataset_changed`](docs/errors/dataset_changed): the bytes of the dataset are lost and its data has changed, as `changes` lists
         *     - [`idempotency_conflict`](docs/errors/idempotency_conflict): the Idempotency-Key belongs to a different request
         */
        DatasetChangedOrIdempotencyConflict: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": (components["schemas"]["DatasetChangedError"] | components["schemas"]["Error"]) & {
                    /** @enum {unknown} */
                    code?: "dataset_changed" | "idempotency_conflict";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`dataset_not_found`](docs/errors/dataset_not_found): there is no dataset with this id */
        DatasetNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "dataset_not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`event_not_found`](docs/errors/event_not_found): the event does not exist */
        EventNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "event_not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`event_not_found`](docs/errors/event_not_found): the event does not exist
         *     - [`market_not_found`](docs/errors/market_not_found): the market does not exist
         *     - [`series_not_found`](docs/errors/series_not_found): the series does not exist
         *     - [`no_data_for_day`](docs/errors/no_data_for_day): the archive has no observations of the series on this day, or no rows of the requested streams
         *     - [`dataset_not_found`](docs/errors/dataset_not_found): there is no dataset with this id
         */
        EventNotFoundOrMarketNotFoundOrSeriesNotFoundOrNoDataForDayOrDatasetNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "event_not_found" | "market_not_found" | "series_not_found" | "no_data_for_day" | "dataset_not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`export_ended`](docs/errors/export_ended): the export is no longer pending */
        ExportEnded: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "export_ended";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`export_not_found`](docs/errors/export_not_found): your account has no export with this id */
        ExportNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "export_not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`export_preparing`](docs/errors/export_preparing): the file is not ready yet
         *     - [`export_failed`](docs/errors/export_failed): the export failed, and `detail` says why
         *     - [`export_cancelled`](docs/errors/export_cancelled): the export was cancelled
         *     - [`dataset_changed`](docs/errors/dataset_changed): the bytes of the dataset are lost and its data has changed, as `changes` lists
         */
        ExportPreparingOrExportFailedOrExportCancelledOrDatasetChanged: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": (components["schemas"]["Error"] | components["schemas"]["DatasetChangedError"]) & {
                    /** @enum {unknown} */
                    code?: "export_preparing" | "export_failed" | "export_cancelled" | "dataset_changed";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`idempotency_conflict`](docs/errors/idempotency_conflict): the Idempotency-Key belongs to a different request */
        IdempotencyConflict: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "idempotency_conflict";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description Any other error, such as status 405, 413 or 500. [All error codes](docs/errors) */
        Internal: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`invalid_input`](docs/errors/invalid_input): the request has a value that the server cannot use */
        InvalidInput: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "invalid_input";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`invalid_input`](docs/errors/invalid_input): the request has a value that the server cannot use
         *     - [`invalid_window`](docs/errors/invalid_window): the time window is not valid, or the market has no times
         *     - [`as_of_in_future`](docs/errors/as_of_in_future): `as_of` is in the future
         */
        InvalidInputOrInvalidWindowOrAsOfInFuture: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "invalid_input" | "invalid_window" | "as_of_in_future";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`invalid_window`](docs/errors/invalid_window): the time window is not valid, or the market has no times
         *     - [`as_of_in_future`](docs/errors/as_of_in_future): `as_of` is in the future
         */
        InvalidWindowOrAsOfInFuture: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "invalid_window" | "as_of_in_future";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`invalid_window`](docs/errors/invalid_window): the time window is not valid, or the market has no times
         *     - [`invalid_input`](docs/errors/invalid_input): the request has a value that the server cannot use
         *     - [`as_of_in_future`](docs/errors/as_of_in_future): `as_of` is in the future
         */
        InvalidWindowOrInvalidInputOrAsOfInFuture: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "invalid_window" | "invalid_input" | "as_of_in_future";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`invalid_window`](docs/errors/invalid_window): the time window is not valid, or the market has no times
         *     - [`invalid_period`](docs/errors/invalid_period): the periods of the candles are not valid
         *     - [`as_of_in_future`](docs/errors/as_of_in_future): `as_of` is in the future
         */
        InvalidWindowOrInvalidPeriodOrAsOfInFuture: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "invalid_window" | "invalid_period" | "as_of_in_future";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`key_not_found`](docs/errors/key_not_found): your account has no API key with this id */
        KeyNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "key_not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`market_not_found`](docs/errors/market_not_found): the market does not exist */
        MarketNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "market_not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`missing_target`](docs/errors/missing_target): the request has no export target
         *     - [`ambiguous_target`](docs/errors/ambiguous_target): the request has more than one export target
         *     - [`invalid_input`](docs/errors/invalid_input): the request has a value that the server cannot use
         *     - [`as_of_in_future`](docs/errors/as_of_in_future): `as_of` is in the future
         */
        MissingTargetOrAmbiguousTargetOrInvalidInputOrAsOfInFuture: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "missing_target" | "ambiguous_target" | "invalid_input" | "as_of_in_future";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`not_an_upgrade`](docs/errors/not_an_upgrade): the requested plan is not higher than the current one */
        NotAnUpgrade: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "not_an_upgrade";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`not_found`](docs/errors/not_found): the path does not exist */
        NotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The export has no events after the one in `Last-Event-ID`, and no more will follow */
        NothingNew: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The answer has not changed since the one with this `ETag` */
        NotModified: {
            headers: {
                "Cache-Control": components["headers"]["CacheControl"];
                ETag: components["headers"]["ETag"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description [`payload_too_large`](docs/errors/payload_too_large): the request body is too large */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "payload_too_large";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`payment_required`](docs/errors/payment_required): the export needs a purchase or an upgrade, which `options` lists */
        PaymentRequired: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PaymentRequiredError"] & {
                    /** @enum {unknown} */
                    code?: "payment_required";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`range_not_satisfiable`](docs/errors/range_not_satisfiable): the requested range is outside the file */
        RangeNotSatisfiable: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "range_not_satisfiable";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`rate_limited`](docs/errors/rate_limited): the account sent more requests in a minute than its plan allows */
        RateLimited: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "rate_limited";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`rate_limited`](docs/errors/rate_limited): the account sent more requests in a minute than its plan allows
         *     - [`cart_daily_limit`](docs/errors/cart_daily_limit): the account has added too many events to its cart on this UTC day
         */
        RateLimitedOrCartDailyLimit: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "rate_limited" | "cart_daily_limit";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`rate_limited`](docs/errors/rate_limited): the account sent more requests in a minute than its plan allows
         *     - [`export_daily_limit`](docs/errors/export_daily_limit): the account has used all exports of this UTC day
         *     - [`export_pending_limit`](docs/errors/export_pending_limit): the account has too many pending exports
         */
        RateLimitedOrExportDailyLimitOrExportPendingLimit: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": (components["schemas"]["Error"] | components["schemas"]["LimitError"]) & {
                    /** @enum {unknown} */
                    code?: "rate_limited" | "export_daily_limit" | "export_pending_limit";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`rate_limited`](docs/errors/rate_limited): the account sent more requests in a minute than its plan allows
         *     - [`key_daily_limit`](docs/errors/key_daily_limit): the account has created too many API keys on this UTC day
         */
        RateLimitedOrKeyDailyLimit: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "rate_limited" | "key_daily_limit";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`rate_limited`](docs/errors/rate_limited): the account sent more requests in a minute than its plan allows
         *     - [`too_many_streams`](docs/errors/too_many_streams): the account has too many event streams open
         */
        RateLimitedOrTooManyStreams: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "rate_limited" | "too_many_streams";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`rate_limited`](docs/errors/rate_limited): the account sent more requests in a minute than its plan allows
         *     - [`webhook_daily_limit`](docs/errors/webhook_daily_limit): the account has changed its webhooks too often on this UTC day
         */
        RateLimitedOrWebhookDailyLimit: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "rate_limited" | "webhook_daily_limit";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`series_not_found`](docs/errors/series_not_found): the series does not exist */
        SeriesNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "series_not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`unauthenticated`](docs/errors/unauthenticated): the API key is missing or not valid */
        Unauthenticated: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWWAuthenticate"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "unauthenticated";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`unavailable`](docs/errors/unavailable): part of the server is temporarily unavailable */
        Unavailable: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "unavailable";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`unavailable`](docs/errors/unavailable): part of the server is temporarily unavailable
         *     - [`conflict`](docs/errors/conflict): other requests changed the same data at the same time
         */
        UnavailableOrConflict: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "unavailable" | "conflict";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`unavailable`](docs/errors/unavailable): part of the server is temporarily unavailable
         *     - [`export_restoring`](docs/errors/export_restoring): the file of a ready export is being prepared again
         */
        UnavailableOrExportRestoring: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "unavailable" | "export_restoring";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The request has invalid fields. `detail` lists every problem in the path, the query, the body and the headers */
        ValidationFailed: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": [
                 *         {
                 *           "type": "less_than_equal",
                 *           "loc": [
                 *             "query",
                 *             "limit"
                 *           ],
                 *           "msg": "Input should be less than or equal to 200",
                 *           "input": "201",
                 *           "ctx": {
                 *             "le": 200
                 *           }
                 *         }
                 *       ],
                 *       "code": "validation_failed",
                 *       "request_id": "0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPValidationError"];
            };
        };
        /** @description [`webhook_disabled`](docs/errors/webhook_disabled): the webhook is disabled */
        WebhookDisabled: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "webhook_disabled";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description [`webhook_not_found`](docs/errors/webhook_not_found): your account has no webhook with this id */
        WebhookNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "webhook_not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /**
         * @description - [`webhook_not_found`](docs/errors/webhook_not_found): your account has no webhook with this id
         *     - [`delivery_not_found`](docs/errors/delivery_not_found): the log of the webhook has no delivery with this id
         */
        WebhookNotFoundOrDeliveryNotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                "X-Request-Id": components["headers"]["XRequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "webhook_not_found" | "delivery_not_found";
                };
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
    };
    parameters: {
        /** @description Unique key that you choose for the request. If you send the same key and body again within 24 hours, the server returns the first answer and changes nothing. The same key with a different body returns status 409 */
        IdempotencyKey: string;
        /** @description `ETag` of an earlier answer. If the answer has not changed, the server returns status 304 */
        IfNoneMatch: string;
        /** @description `id` of the last event that you received. The stream starts after it */
        LastEventId: string;
        /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
        Prefer: string;
        /** @description Byte range of the file to return */
        Range: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Unit for range requests
         * @example bytes
         */
        AcceptRanges: string;
        /**
         * @description `true` after all rows of a bulk answer. A trailer after the last row; a short answer has it as a header. An answer without it was cut, or is a page
         * @example true
         */
        AlmanacComplete: string;
        /**
         * @description Value of `count` in the JSON format. Sent only with other formats. A trailer of a long bulk answer
         * @example 450
         */
        AlmanacCount: number;
        /**
         * @description Value of `has_more` in the JSON format. Sent only with other formats
         * @example true
         */
        AlmanacHasMore: string;
        /**
         * @description Value of `matched` in the JSON format. Sent only with pages in other formats
         * @example 450
         */
        AlmanacMatched: number;
        /**
         * @description Value of `next_cursor` in the JSON format. Sent only with other formats, and absent if it is null
         * @example eyJ0IjoiS1hCVEMxNU0ifQ
         */
        AlmanacNextCursor: string;
        /**
         * @description Value of `next_start_ts` in the JSON format. Sent only with other formats, and absent if it is null
         * @example 1771993801
         */
        AlmanacNextStartTs: string;
        /**
         * @description What the answer does not show by itself, as a list of structured fields (RFC 9651). Each item is a code with the parameters `loc`, `nearest` and `detail`. Characters outside ASCII are percent-encoded, and so is the percent sign. JSON answers have the same list in `notices`. Absent if there is no notice
         * @example unknown_parameter;loc="query.limits";nearest="limit";detail="The query parameter limits does not exist and was ignored. Did you mean limit?"
         */
        AlmanacNotice: string;
        /**
         * @description SHA-256 of the bulk answer before compression, in hexadecimal. A trailer, or a header of a short answer
         * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
         */
        AlmanacSha256: string;
        /**
         * @description Whether clients can cache the answer
         * @example private, must-revalidate
         */
        CacheControl: string;
        /**
         * @description File name
         * @example attachment; filename="KXBTC15M-26FEB242330_snapshots-settlement.csv"
         */
        ContentDisposition: string;
        /**
         * @description Compression of the answer: `zstd` or `gzip`, as requested in `Accept-Encoding`. Absent if the answer is not compressed
         * @example zstd
         */
        ContentEncoding: string;
        /**
         * @description Size in bytes
         * @example 90103
         */
        ContentLength: number;
        /**
         * @description Range of the returned bytes and size of the file
         * @example bytes 0-99/90103
         */
        ContentRange: string;
        /**
         * @description Version of the answer. Send it in `If-None-Match` with the next request. Absent if the answer depends on the current time
         * @example "3-5f1d7c40b1d9ac37e0b2"
         */
        ETag: string;
        /**
         * @description URL of the next page. Absent on the last page
         * @example </api/v1/markets/KXBTC15M-26FEB242330-30/snapshots?start_ts=1771993801&end_ts=1771994000>; rel="next"
         */
        Link: string;
        /**
         * @description `handling=strict` if the request has the header `Prefer: handling=strict`
         * @example handling=strict
         */
        PreferenceApplied: string;
        /**
         * @description The state of the limit in the form of the newest draft: `r` requests now, and `t` seconds until more
         * @example "minute";r=1180;t=41
         */
        RateLimit: string;
        /**
         * @description Maximum number of requests per minute in your plan. Absent if the plan has no limit, as are the other `RateLimit` headers
         * @example 1200
         */
        RateLimitLimit: number;
        /**
         * @description The limit in the form of the newest draft: `q` requests in `w` seconds
         * @example "minute";q=1200;w=60
         */
        RateLimitPolicy: string;
        /**
         * @description Number of requests that you can send now. The real number can be higher
         * @example 1180
         */
        RateLimitRemaining: number;
        /**
         * @description Seconds until more requests are available
         * @example 41
         */
        RateLimitReset: number;
        /**
         * @description Seconds to wait before the next attempt
         * @example 1
         */
        RetryAfter: number;
        /**
         * @description Names of the trailers after the rows of a long bulk answer
         * @example Almanac-Complete, Almanac-Count, Almanac-Sha256
         */
        Trailer: string;
        /**
         * @description Request headers that the answer depends on
         * @example Accept, Accept-Encoding
         */
        Vary: string;
        /**
         * @description Authentication scheme
         * @example Bearer
         */
        WWWAuthenticate: string;
        /**
         * @description Id of the request. If you send a valid `X-Request-Id`, the server uses it
         * @example 0198c7a2-6f0e-7c3b-9a51-2f4be08d7c11
         */
        XRequestId: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    openPortal: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortalResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    upgradePlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Unique key that you choose for the request. If you send the same key and body again within 24 hours, the server returns the first answer and changes nothing. The same key with a different body returns status 409 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpgradeBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpgradeResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["NotAnUpgrade"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    getCart: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CartResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    checkOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description Unique key that you choose for the request. If you send the same key and body again within 24 hours, the server returns the first answer and changes nothing. The same key with a different body returns status 409 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckoutResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["CartEmpty"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    addToCart: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CartEventBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CartResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["CartFull"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["EventNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimitedOrCartDailyLimit"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    removeFromCart: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Ticker of the event */
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CartResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    listCategories: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CategoriesResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["AsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    getDataset: {
        parameters: {
            query?: {
                /** @description Find only a dataset as of this time or earlier, in Unix seconds. A dataset without `as_of` is of no such time. It may not be in the future */
                as_of?: number;
                /** @description Form of the answer: `json`, or the metadata of a standard, `croissant` (MLCommons Croissant 1.0) or `datacite` (DataCite 4.5). It precedes `Accept`. Without both, the answer is JSON */
                format?: "json" | "croissant" | "datacite";
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the dataset: `ds-` and the first 32 digits of `sha256`. With `as_of`, 32 digits that follow from both */
                dataset_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetResponse"] & components["schemas"]["Noticed"];
                    "application/ld+json": Record<string, never>;
                    "application/vnd.datacite.datacite+json": Record<string, never>;
                };
            };
            400: components["responses"]["AsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["DatasetNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    getEvent: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description `next_cursor` of the previous answer. Returns the items after it */
                cursor?: string;
                /** @description Maximum number of items in the answer */
                limit?: number;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Ticker of the event */
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDetailResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["AsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["EventNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    listEventSnapshots: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description `next_cursor` of the previous answer. Returns the items after it */
                cursor?: string;
                /** @description End of the window (exclusive), in Unix seconds */
                end_ts?: number;
                /** @description With `previous`, a grid time has the last values at or before it. With `none`, only those of the step that ends with it */
                fill?: "previous" | "none";
                /** @description Format of the answer. It precedes `Accept`. Without both, the answer is JSON */
                format?: "json" | "csv" | "ndjson" | "parquet" | "arrow";
                /** @description Maximum number of items in the answer */
                limit?: number;
                /** @description Type of prices in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float` */
                numbers?: "decimal" | "float";
                /** @description Start of the window (inclusive), in Unix seconds */
                start_ts?: number;
                /** @description Distance of the grid times in milliseconds */
                step_ms?: number;
            };
            header?: {
                /** @description `ETag` of an earlier answer. If the answer has not changed, the server returns status 304 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Ticker of the event */
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Complete": components["headers"]["AlmanacComplete"];
                    "Almanac-Count": components["headers"]["AlmanacCount"];
                    "Almanac-Has-More": components["headers"]["AlmanacHasMore"];
                    "Almanac-Matched": components["headers"]["AlmanacMatched"];
                    "Almanac-Next-Cursor": components["headers"]["AlmanacNextCursor"];
                    "Almanac-Next-Start-Ts": components["headers"]["AlmanacNextStartTs"];
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Almanac-Sha256": components["headers"]["AlmanacSha256"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Trailer: components["headers"]["Trailer"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventSnapshotsResponse"] & components["schemas"]["Noticed"];
                    "application/vnd.apache.arrow.stream": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidWindowOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["EventNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    listExports: {
        parameters: {
            query?: {
                /** @description Return only exports as of this time or earlier, in Unix seconds. An export without `as_of` is of no such time. It may not be in the future */
                as_of?: number;
                /** @description `next_cursor` of the previous answer. Returns the items after it */
                cursor?: string;
                /** @description Return only exports of the request with this group id */
                group?: string;
                /** @description Maximum number of items in the answer */
                limit?: number;
                /** @description Return only exports with this status: `pending`, `ready`, `failed` or `cancelled`. Any other value matches nothing */
                status?: string;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportListResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["AsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    createExport: {
        parameters: {
            query?: {
                /** @description Return what the export would cost, without creating it */
                dry_run?: boolean;
            };
            header?: {
                /** @description Unique key that you choose for the request. If you send the same key and body again within 24 hours, the server returns the first answer and changes nothing. The same key with a different body returns status 409 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExportCreateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["ExportResponse"] | components["schemas"]["ExportGroup"] | components["schemas"]["ExportQuote"]) & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["MissingTargetOrAmbiguousTargetOrInvalidInputOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["EventNotFoundOrMarketNotFoundOrSeriesNotFoundOrNoDataForDayOrDatasetNotFound"];
            409: components["responses"]["DatasetChangedOrIdempotencyConflict"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimitedOrExportDailyLimitOrExportPendingLimit"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    getExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the export (UUID) */
                export_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefused"];
            404: components["responses"]["ExportNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    cancelExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the export (UUID) */
                export_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefused"];
            404: components["responses"]["ExportNotFound"];
            409: components["responses"]["ExportEnded"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    streamExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description `id` of the last event that you received. The stream starts after it */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the export (UUID) */
                export_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. It ends after the last event */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: ready
                     *     id: 1042
                     *     data: {"id":"48dda3c2-1b8a-4b4e-9e0a-563b09253609","status":"ready",…}
                     */
                    "text/event-stream": unknown;
                };
            };
            204: components["responses"]["NothingNew"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefused"];
            404: components["responses"]["ExportNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimitedOrTooManyStreams"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    downloadExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description `ETag` of an earlier answer. If the answer has not changed, the server returns status 304 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Byte range of the file to return */
                Range?: components["parameters"]["Range"];
            };
            path: {
                /** @description Id of the export (UUID) */
                export_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "Content-Length": components["headers"]["ContentLength"];
                    ETag: components["headers"]["ETag"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": unknown;
                    "application/json": Record<string, never>[];
                    "application/vnd.apache.parquet": unknown;
                    "application/zip": unknown;
                    "text/csv": string;
                };
            };
            /** @description The requested bytes of the file */
            206: {
                headers: {
                    "Content-Range": components["headers"]["ContentRange"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": unknown;
                    "application/json": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/zip": unknown;
                    "text/csv": unknown;
                };
            };
            304: components["responses"]["NotModified"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefused"];
            404: components["responses"]["ExportNotFound"];
            409: components["responses"]["ExportPreparingOrExportFailedOrExportCancelledOrDatasetChanged"];
            416: components["responses"]["RangeNotSatisfiable"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrExportRestoring"];
            default: components["responses"]["Internal"];
        };
    };
    listExportFormats: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportFormatsResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefused"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous answer. Returns the items after it */
                cursor?: string;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeysResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefused"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Unique key that you choose for the request. If you send the same key and body again within 24 hours, the server returns the first answer and changes nothing. The same key with a different body returns status 409 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["AsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrKeyLimitReachedOrAsOfFenced"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimitedOrKeyDailyLimit"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the key. It is not secret */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["KeyNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    listMarkets: {
        parameters: {
            query?: {
                /** @description List the markets that were listed by this time, in Unix seconds, as they were known then. It does not work with `changed_since_ts`, and may not be in the future */
                as_of?: number;
                /** @description Return only items in the category with this slug */
                category?: string;
                /** @description Return markets that changed in the archive at or after this time, in Unix seconds, the earliest change first. Each market is listed by its last change, and again if it changes meanwhile. All other filters apply, and `days` is ignored. To keep a copy up to date, send the same filters with each `next_cursor`, also after the last page. A status that changes because time passes, and a change of the series, are no changes of a market */
                changed_since_ts?: number;
                /** @description Smallest share of the time from open to close, or until now for a live market, with a complete recording. Markets of which no recording states its completeness are left out, also with 0. It does not work with `changed_since_ts` */
                covered_min?: number;
                /** @description `next_cursor` of the previous answer. Returns the items after it */
                cursor?: string;
                /** @description Number of days to return, counted back from the newest past close of a market that matches the other filters. Live markets are always included. Ignored if `from_ts`, `to_ts`, `event` or `q` is set */
                days?: number;
                /** @description Return only markets of the event with this ticker */
                event?: string;
                /** @description Earliest close time to return, in Unix seconds */
                from_ts?: number;
                /** @description Return only markets whose recording has a gap between open and close, or until now for a live market. With `false` only those without a known gap, also if nothing states that the recording is complete. It does not work with `changed_since_ts` */
                has_gaps?: boolean;
                /** @description Maximum number of items in the answer */
                limit?: number;
                /** @description Search words, in any order and case */
                q?: string;
                /** @description Return only markets of the series with this id */
                series?: string;
                /** @description Return only items with this status: `live`, `closed` or `finalized`. Any other value matches nothing */
                status?: string;
                /** @description Latest close time to return, in Unix seconds */
                to_ts?: number;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketsResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["InvalidWindowOrInvalidInputOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    getMarket: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
            };
            header?: {
                /** @description `ETag` of an earlier answer. If the answer has not changed, the server returns status 304 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Ticker of the market */
                ticker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketDetailResponse"] & components["schemas"]["Noticed"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["AsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["MarketNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    getBook: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description Time of the book, in Unix seconds. Without it: now, or the end of the data of a closed market */
                at_ts?: number;
                /** @description Maximum number of levels on each side. Without it: all levels */
                depth?: number;
                /** @description Format of the answer. It precedes `Accept`. Without both, the answer is JSON */
                format?: "json" | "csv" | "ndjson" | "parquet" | "arrow";
                /** @description Type of prices and sizes in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float` */
                numbers?: "decimal" | "float";
            };
            header?: {
                /** @description `ETag` of an earlier answer. If the answer has not changed, the server returns status 304 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Ticker of the market */
                ticker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Complete": components["headers"]["AlmanacComplete"];
                    "Almanac-Count": components["headers"]["AlmanacCount"];
                    "Almanac-Has-More": components["headers"]["AlmanacHasMore"];
                    "Almanac-Matched": components["headers"]["AlmanacMatched"];
                    "Almanac-Next-Cursor": components["headers"]["AlmanacNextCursor"];
                    "Almanac-Next-Start-Ts": components["headers"]["AlmanacNextStartTs"];
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Almanac-Sha256": components["headers"]["AlmanacSha256"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Trailer: components["headers"]["Trailer"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookResponse"] & components["schemas"]["Noticed"];
                    "application/vnd.apache.arrow.stream": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidWindowOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["MarketNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    listCandles: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description End of the window (exclusive), in Unix seconds */
                end_ts?: number;
                /** @description What a period without observations gets: no candle unless it has trades, or with `previous` the last values before it. Values are null after a gap. A trade is never repeated, and no period begins in the future */
                fill?: "none" | "previous";
                /** @description Format of the answer. It precedes `Accept`. Without both, the answer is JSON */
                format?: "json" | "csv" | "ndjson" | "parquet" | "arrow";
                /** @description Type of prices in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float` */
                numbers?: "decimal" | "float";
                /** @description Length of a period in seconds. It must divide a day. Without it and `points`: 60, or the shortest period of the venue where only its candles are stored */
                period_s?: number;
                /** @description Maximum number of candles of a market, for charts: the whole window in the shortest periods that fit. Highs and lows are those of all observations and trades. Where only candles of the venue are stored, a multiple of their shortest period */
                points?: number;
                /** @description Start of the window (inclusive), in Unix seconds. The candles begin with the period that it is in */
                start_ts?: number;
            };
            header?: {
                /** @description `ETag` of an earlier answer. If the answer has not changed, the server returns status 304 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Ticker of the market */
                ticker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Complete": components["headers"]["AlmanacComplete"];
                    "Almanac-Count": components["headers"]["AlmanacCount"];
                    "Almanac-Has-More": components["headers"]["AlmanacHasMore"];
                    "Almanac-Matched": components["headers"]["AlmanacMatched"];
                    "Almanac-Next-Cursor": components["headers"]["AlmanacNextCursor"];
                    "Almanac-Next-Start-Ts": components["headers"]["AlmanacNextStartTs"];
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Almanac-Sha256": components["headers"]["AlmanacSha256"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Trailer: components["headers"]["Trailer"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CandlesResponse"] & components["schemas"]["Noticed"];
                    "application/vnd.apache.arrow.stream": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidWindowOrInvalidPeriodOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["MarketNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    previewMarket: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
            };
            header?: {
                /** @description `ETag` of an earlier answer. If the answer has not changed, the server returns status 304 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Ticker of the market */
                ticker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewResponse"] & components["schemas"]["Noticed"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidWindowOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["MarketNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    listSnapshots: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description End of the window (exclusive), in Unix seconds */
                end_ts?: number;
                /** @description Format of the answer. It precedes `Accept`. Without both, the answer is JSON */
                format?: "json" | "csv" | "ndjson" | "parquet" | "arrow";
                /** @description Include full order books. They are large */
                include_book?: boolean;
                /** @description Maximum number of snapshots in the answer */
                limit?: number;
                /** @description Type of prices and sizes in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float` for 64-bit floating-point numbers, which pandas computes with */
                numbers?: "decimal" | "float";
                /** @description Limit the window to 15 minutes instead of 6 hours */
                preview?: boolean;
                /** @description Include the sizes at the best bid and ask. Every plan has them */
                sizes?: boolean;
                /** @description Start of the window (inclusive), in Unix seconds */
                start_ts?: number;
                /** @description Downsampling step in milliseconds. 0 returns every stored row */
                step_ms?: number;
            };
            header?: {
                /** @description `ETag` of an earlier answer. If the answer has not changed, the server returns status 304 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Ticker of the market */
                ticker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Complete": components["headers"]["AlmanacComplete"];
                    "Almanac-Count": components["headers"]["AlmanacCount"];
                    "Almanac-Has-More": components["headers"]["AlmanacHasMore"];
                    "Almanac-Matched": components["headers"]["AlmanacMatched"];
                    "Almanac-Next-Cursor": components["headers"]["AlmanacNextCursor"];
                    "Almanac-Next-Start-Ts": components["headers"]["AlmanacNextStartTs"];
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Almanac-Sha256": components["headers"]["AlmanacSha256"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Trailer: components["headers"]["Trailer"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotsResponse"] & components["schemas"]["Noticed"];
                    "application/vnd.apache.arrow.stream": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidWindowOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["MarketNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    listTrades: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description `next_cursor` of the previous answer. Returns the items after it */
                cursor?: string;
                /** @description End of the window (exclusive), in Unix seconds */
                end_ts?: number;
                /** @description Format of the answer. It precedes `Accept`. Without both, the answer is JSON */
                format?: "json" | "csv" | "ndjson" | "parquet" | "arrow";
                /** @description Maximum number of trades in the answer */
                limit?: number;
                /** @description Type of prices and sizes in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float` for 64-bit floating-point numbers, which pandas computes with */
                numbers?: "decimal" | "float";
                /** @description `asc` for oldest first, `desc` for newest first */
                order?: "asc" | "desc";
                /** @description Start of the window (inclusive), in Unix seconds */
                start_ts?: number;
            };
            header?: {
                /** @description `ETag` of an earlier answer. If the answer has not changed, the server returns status 304 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Ticker of the market */
                ticker: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Complete": components["headers"]["AlmanacComplete"];
                    "Almanac-Count": components["headers"]["AlmanacCount"];
                    "Almanac-Has-More": components["headers"]["AlmanacHasMore"];
                    "Almanac-Matched": components["headers"]["AlmanacMatched"];
                    "Almanac-Next-Cursor": components["headers"]["AlmanacNextCursor"];
                    "Almanac-Next-Start-Ts": components["headers"]["AlmanacNextStartTs"];
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Almanac-Sha256": components["headers"]["AlmanacSha256"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Trailer: components["headers"]["Trailer"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TradesResponse"] & components["schemas"]["Noticed"];
                    "application/vnd.apache.arrow.stream": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidWindowOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["MarketNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    readMarketsAt: {
        parameters: {
            query?: {
                /** @description Format of the answer. It precedes `Accept`. Without both, the answer is JSON */
                format?: "json" | "csv" | "ndjson" | "parquet" | "arrow";
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future
                     * @example 1771993500
                     */
                    as_of?: number;
                    /**
                     * @description Times in any order, in Unix seconds. At most 10,000 pairs of a market and a time
                     * @example [
                     *       1771993365.5,
                     *       1771993400
                     *     ]
                     */
                    at_ts: number[];
                    /**
                     * @description Fields of the observations to return. Without it: all but the sizes
                     * @default [
                     *       "venue_ts",
                     *       "seq",
                     *       "yes_best_bid",
                     *       "yes_best_ask",
                     *       "coin_price"
                     *     ]
                     * @example [
                     *       "yes_best_bid",
                     *       "yes_best_ask"
                     *     ]
                     */
                    fields?: ("venue_ts" | "seq" | "yes_best_bid" | "yes_best_ask" | "coin_price" | "yes_best_bid_size" | "yes_best_ask_size")[];
                    /**
                     * @description Type of prices in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float`
                     * @default decimal
                     * @example decimal
                     * @enum {string}
                     */
                    numbers?: "decimal" | "float";
                    /**
                     * @description Tickers of markets
                     * @example [
                     *       "KXBTC15M-26FEB242330-30"
                     *     ]
                     */
                    tickers: string[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Complete": components["headers"]["AlmanacComplete"];
                    "Almanac-Count": components["headers"]["AlmanacCount"];
                    "Almanac-Has-More": components["headers"]["AlmanacHasMore"];
                    "Almanac-Matched": components["headers"]["AlmanacMatched"];
                    "Almanac-Next-Cursor": components["headers"]["AlmanacNextCursor"];
                    "Almanac-Next-Start-Ts": components["headers"]["AlmanacNextStartTs"];
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Almanac-Sha256": components["headers"]["AlmanacSha256"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    Link: components["headers"]["Link"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Trailer: components["headers"]["Trailer"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketsAtResponse"] & components["schemas"]["Noticed"];
                    "application/vnd.apache.arrow.stream": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidWindowOrInvalidInputOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["MarketNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    listCandlesOfMarkets: {
        parameters: {
            query?: {
                /** @description Format of the answer. It precedes `Accept`. Without both, the answer is JSON */
                format?: "json" | "csv" | "ndjson" | "parquet" | "arrow";
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future
                     * @example 1771993500
                     */
                    as_of?: number;
                    /**
                     * @description End of the window (exclusive), in Unix seconds
                     * @example 1771993800
                     */
                    end_ts?: number | null;
                    /**
                     * @description What a period without observations gets: no candle unless it has trades, or with `previous` the last values before it. Values are null after a gap. A trade is never repeated, and no period begins in the future
                     * @default none
                     * @example none
                     * @enum {string}
                     */
                    fill?: "none" | "previous";
                    /**
                     * @description Type of prices in CSV, JSON lines, Parquet and Arrow: exact decimals, or `float`
                     * @default decimal
                     * @example decimal
                     * @enum {string}
                     */
                    numbers?: "decimal" | "float";
                    /**
                     * @description Length of a period in seconds. It must divide a day. Without it and `points`: 60, or the shortest period of the venue where only its candles are stored
                     * @example 60
                     */
                    period_s?: number;
                    /**
                     * @description Maximum number of candles of a market, for charts: the whole window in the shortest periods that fit. Highs and lows are those of all observations and trades. Where only candles of the venue are stored, a multiple of their shortest period
                     * @example 500
                     */
                    points?: number;
                    /**
                     * @description Start of the window (inclusive), in Unix seconds. The candles begin with the period that it is in
                     * @example 1771992900
                     */
                    start_ts?: number | null;
                    /**
                     * @description Tickers of markets. Duplicates count once
                     * @example [
                     *       "KXBTC15M-26FEB242330-30"
                     *     ]
                     */
                    tickers: string[];
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Complete": components["headers"]["AlmanacComplete"];
                    "Almanac-Count": components["headers"]["AlmanacCount"];
                    "Almanac-Has-More": components["headers"]["AlmanacHasMore"];
                    "Almanac-Matched": components["headers"]["AlmanacMatched"];
                    "Almanac-Next-Cursor": components["headers"]["AlmanacNextCursor"];
                    "Almanac-Next-Start-Ts": components["headers"]["AlmanacNextStartTs"];
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Almanac-Sha256": components["headers"]["AlmanacSha256"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    Link: components["headers"]["Link"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Trailer: components["headers"]["Trailer"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CandleBatchResponse"] & components["schemas"]["Noticed"];
                    "application/vnd.apache.arrow.stream": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidWindowOrInvalidPeriodOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["MarketNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    getOperatorHistory: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorHistory"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    getOperatorStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorStatus"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefused"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    getQuality: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description What an item of the answer is about */
                by?: "market" | "day" | "hour";
                /** @description Markets in the category with this slug. Send exactly one of `series`, `event`, `category` and `venue` */
                category?: string;
                /** @description `next_cursor` of the previous answer. Returns the items after it */
                cursor?: string;
                /** @description Markets of the event with this ticker. Send exactly one of `series`, `event`, `category` and `venue` */
                event?: string;
                /** @description Format of the answer. It precedes `Accept`. Without both, the answer is JSON */
                format?: "json" | "csv" | "ndjson" | "parquet" | "arrow";
                /** @description First UTC day, as YYYY-MM-DD. Default: `to`, or yesterday without both */
                from?: string;
                /** @description Return only items with gaps, or with `false` only those without */
                has_gaps?: boolean;
                /** @description Maximum number of items in the answer */
                limit?: number;
                /** @description Markets of the series with this id. Send exactly one of `series`, `event`, `category` and `venue` */
                series?: string;
                /** @description `worst` for the smallest `covered_share` first, or `time` for the earliest open, day or hour first. Where nothing states completeness, the share of the time without gaps counts */
                sort?: "worst" | "time";
                /** @description Last UTC day, as YYYY-MM-DD. Default: `from`, or yesterday without both. At most 31 days from `from` to `to` */
                to?: string;
                /** @description Markets of the venue with this id. Markets whose source states no venue are in none. Send exactly one of `series`, `event`, `category` and `venue` */
                venue?: string;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Complete": components["headers"]["AlmanacComplete"];
                    "Almanac-Count": components["headers"]["AlmanacCount"];
                    "Almanac-Has-More": components["headers"]["AlmanacHasMore"];
                    "Almanac-Matched": components["headers"]["AlmanacMatched"];
                    "Almanac-Next-Cursor": components["headers"]["AlmanacNextCursor"];
                    "Almanac-Next-Start-Ts": components["headers"]["AlmanacNextStartTs"];
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Almanac-Sha256": components["headers"]["AlmanacSha256"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    Link: components["headers"]["Link"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Trailer: components["headers"]["Trailer"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QualityResponse"] & components["schemas"]["Noticed"];
                    "application/vnd.apache.arrow.stream": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidInputOrInvalidWindowOrAsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    search: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description Return only items in the category with this slug */
                category?: string;
                /** @description Earliest close time to return, in Unix seconds */
                from_ts?: number;
                /** @description Maximum number of items in the answer */
                limit?: number;
                /** @description Number of items to skip */
                offset?: number;
                /** @description Search words, in any order and case. If empty, everything that matches the filters */
                q?: string;
                /** @description Return only items with this status: `live`, `closed` or `finalized`. Any other value matches nothing */
                status?: string;
                /** @description Latest close time to return, in Unix seconds */
                to_ts?: number;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["AsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    listSeries: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description Return only items in the category with this slug */
                category?: string;
                /** @description Earliest close time to return, in Unix seconds */
                from_ts?: number;
                /** @description Maximum number of items in the answer */
                limit?: number;
                /** @description Number of items to skip */
                offset?: number;
                /** @description Search words, in any order and case */
                q?: string;
                /** @description Return only items with this status: `live`, `closed` or `finalized`. Any other value matches nothing */
                status?: string;
                /** @description Latest close time to return, in Unix seconds */
                to_ts?: number;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeriesResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["AsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    getSeries: {
        parameters: {
            query?: {
                /** @description Answer as the archive was known at this time, in Unix seconds, exact to the microsecond: with the values known and the rows received by then, and nothing later. It may not be in the future */
                as_of?: number;
                /** @description Number of events to skip */
                event_offset?: number;
                /** @description Earliest close time to return, in Unix seconds */
                from_ts?: number;
                /** @description Maximum number of items in the answer */
                limit?: number;
                /** @description Number of items to skip */
                offset?: number;
                /** @description Search words, in any order and case */
                q?: string;
                /** @description Return only items with this status: `live`, `closed` or `finalized`. Any other value matches nothing */
                status?: string;
                /** @description Latest close time to return, in Unix seconds */
                to_ts?: number;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the series */
                series_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeriesDetailResponse"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["AsOfInFuture"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["SeriesNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhooksResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Unique key that you choose for the request. If you send the same key and body again within 24 hours, the server returns the first answer and changes nothing. The same key with a different body returns status 409 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"] & components["schemas"]["Noticed"];
                };
            };
            400: components["responses"]["InvalidInput"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrWebhookLimitReachedOrAsOfFenced"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimitedOrWebhookDailyLimit"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous answer. Returns the items after it */
                cursor?: string;
                /** @description Maximum number of items in the answer */
                limit?: number;
            };
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveriesResponse"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the delivery, which is its `webhook-id` header */
                delivery_id: string;
                /** @description Id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["WebhookNotFoundOrDeliveryNotFound"];
            409: components["responses"]["WebhookDisabled"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
    enableWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimitedOrWebhookDailyLimit"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["WebhookNotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimitedOrWebhookDailyLimit"];
            503: components["responses"]["UnavailableOrConflict"];
            default: components["responses"]["Internal"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description Id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "Almanac-Notice": components["headers"]["AlmanacNotice"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Preference-Applied": components["headers"]["PreferenceApplied"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    Vary: components["headers"]["Vary"];
                    "X-Request-Id": components["headers"]["XRequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"] & components["schemas"]["Noticed"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["CsrfRefusedOrAsOfFenced"];
            404: components["responses"]["WebhookNotFound"];
            409: components["responses"]["WebhookDisabled"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Internal"];
        };
    };
}
