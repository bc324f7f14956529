import { counted } from '@almanac/client';
import type { Export as ExportAnswer } from '@almanac/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { almanac } from '../../api/client.js';
import { bytes, count, percent } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Link } from '../../parts/link.js';
import { ActionFault } from '../../states/action-fault.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { Manifest } from './manifest.js';
import { StatusTag } from './status-tag.js';
import { targetOf } from './target.js';
import { useFollowedExport } from './use-followed-export.js';

/** One export: its progress, then its file with hash and citation. */
export const Export = ({ id }: { readonly id: string }): ReactNode => {
  const found = useFollowedExport(id);
  if (found.isPending)
    return (
      <Page title="Export">
        <Loading what="the export" />
      </Page>
    );
  if (found.isError) {
    return (
      <Page title="Export">
        <Failure error={found.error} onRetry={() => found.refetch()} />
      </Page>
    );
  }
  const { data } = found;
  const heading = (
    <h1 dir="auto">
      {targetOf(data)} <StatusTag status={data.status} />
    </h1>
  );
  return (
    <Page title={`Export of ${targetOf(data)}`} heading={heading} actions={<Link to="/exports">All exports</Link>}>
      {data.status === 'pending' ? <Progress data={data} /> : null}
      {data.status === 'failed' || data.status === 'cancelled' ? <Ended data={data} /> : null}
      {data.status === 'ready' ? <TheFile data={data} /> : null}
      <Facts data={data} />
      {data.manifest === null ? null : <Manifest manifest={data.manifest} />}
    </Page>
  );
};

interface Part {
  readonly data: ExportAnswer;
}

const Progress = ({ data }: Part): ReactNode => {
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => almanac.exports.cancel(data.id),
    onSuccess: (state) => client.setQueryData(['exports', 'one', data.id], state),
  });
  return (
    <section className="card" data-progress={data.progress ?? 0}>
      <div className="body">
        <label htmlFor="export-progress">
          {data.rows_done === null || data.rows_done === 0
            ? 'Waiting for a worker'
            : `${count(data.rows_done)} of ${counted(data.row_count, 'row')}`}
        </label>
        <progress id="export-progress" max={1} {...(data.progress === null ? {} : { value: data.progress })} />
        <div className="buttons">
          <span className="hint">{data.progress === null ? '' : percent(data.progress)}</span>
          <ConfirmButton
            label="Cancel the export"
            question="What it used is given back. Cancel?"
            disabled={cancel.isPending}
            onConfirm={() => cancel.mutate()}
          />
        </div>
        <ActionFault error={cancel.error} />
      </div>
    </section>
  );
};

const Ended = ({ data }: Part): ReactNode => (
  <section className="state" data-state={data.status === 'failed' ? 'error' : 'empty'} role="alert">
    <h2>{data.status === 'failed' ? 'The export failed' : 'The export was cancelled'}</h2>
    <p>{data.error ?? 'Its credit and its place in the limit of the day were given back.'}</p>
    {data.status === 'failed' ? (
      <p>
        If it fails again, report the id of this export to whoever runs the server: <code>{data.id}</code>
      </p>
    ) : null}
    <Link to={`/exports/new?${againOf(data)}`} className="button">
      Request it again
    </Link>
  </section>
);

const againOf = (data: ExportAnswer): string =>
  new URLSearchParams({
    ...(data.ticker !== null ? { ticker: data.ticker } : data.event !== null ? { event: data.event } : {}),
    ...(data.ticker === null && data.event === null && data.series !== null ? { series: data.series } : {}),
    ...(data.day === null ? {} : { from: data.day }),
    ...(data.from === null || data.to === null ? {} : { from: data.from, to: data.to }),
    streams: data.streams.join(','),
    format: data.format,
  }).toString();

const TheFile = ({ data }: Part): ReactNode => (
  <section className="card" aria-label="File">
    <header>
      <h2 className="filename">{data.filename ?? 'File'}</h2>
      <a className="button primary" href={`/api/v1/exports/${encodeURIComponent(data.id)}/file`} download>
        Download {bytes(data.bytes)}
      </a>
    </header>
    <dl className="body facts">
      <dt>SHA-256</dt>
      <dd data-sha256>
        <code>{data.sha256}</code> {data.sha256 === null ? null : <CopyButton text={data.sha256} what="the hash" />}
      </dd>
      {data.dataset_id === null ? null : (
        <>
          <dt>Dataset</dt>
          <dd>
            <code>{data.dataset_id}</code> <CopyButton text={data.dataset_id} what="the dataset id" />
          </dd>
        </>
      )}
      {data.citation === null ? null : (
        <>
          <dt>Citation</dt>
          <dd data-citation dir="auto">
            {data.citation.text} <CopyButton text={data.citation.text} what="the citation" />
          </dd>
          <dt>BibTeX</dt>
          <dd>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- It scrolls. */}
            <pre tabIndex={0} aria-label="BibTeX">
              {data.citation.bibtex}
            </pre>
            <CopyButton text={data.citation.bibtex} what="the BibTeX entry" />
          </dd>
        </>
      )}
    </dl>
  </section>
);

const Facts = ({ data }: Part): ReactNode => (
  <section className="card" aria-label="Facts">
    <dl className="body facts">
      <dt>Streams</dt>
      <dd>{data.streams.join(', ')}</dd>
      <dt>Format</dt>
      <dd>
        {data.format}, {data.numbers === 'decimal' ? 'exact decimals' : 'floating point'}
      </dd>
      <dt>Rows</dt>
      <dd>{count(data.row_count)}</dd>
      <dt>Markets</dt>
      <dd>{count(data.markets)}</dd>
      <dt>Covered by</dt>
      <dd>{data.grant ?? '–'}</dd>
      <dt>Created</dt>
      <dd>{dateTime(data.created_ts)}</dd>
      {data.ready_ts === null ? null : (
        <>
          <dt>Ready</dt>
          <dd>{dateTime(data.ready_ts)}</dd>
        </>
      )}
      {data.as_of === undefined ? null : (
        <>
          <dt>As of</dt>
          <dd>{dateTime(data.as_of)}</dd>
        </>
      )}
      {data.remarks.length === 0 ? null : (
        <>
          <dt>Notes</dt>
          <dd>{data.remarks.join(' ')}</dd>
        </>
      )}
    </dl>
  </section>
);
