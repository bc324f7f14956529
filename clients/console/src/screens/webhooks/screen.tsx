import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Webhook } from './webhook.js';
import { WebhookList } from './webhook-list.js';

/** The list of webhooks, and one of them with its deliveries. */
export const Screen = (): ReactNode => (
  <Switch>
    <Route path="/webhooks/:id">{({ id }) => <Webhook key={id} id={id} />}</Route>
    <Route>
      <WebhookList />
    </Route>
  </Switch>
);
