import type { ReactNode } from 'react';
import { Prose } from '../docs/prose.js';
import { alertRunbook } from './alert-runbook.js';

/** What the runbook says about alerts of a figure. */
export const RunbookOf = ({ alerts }: { readonly alerts: readonly string[] }): ReactNode => (
  <details className="runbook">
    <summary>What to do</summary>
    <div className="runbook-text">
      {alerts.map((alert) => (
        <section key={alert} data-alert={alert}>
          <h3>{alert}</h3>
          <Prose text={alertRunbook[alert] ?? ''} />
        </section>
      ))}
      <p className="hint">
        From <code>docs/runbooks/alerts.md</code>
      </p>
    </div>
  </details>
);
