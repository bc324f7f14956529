import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Export } from './export.js';
import { ExportList } from './export-list.js';
import { Wizard } from './wizard.js';

/** The list of exports, the wizard, and one export. */
export const Screen = (): ReactNode => (
  <Switch>
    <Route path="/exports/new">
      <Wizard />
    </Route>
    <Route path="/exports/:id">{({ id }) => <Export key={id} id={id} />}</Route>
    <Route>
      <ExportList />
    </Route>
  </Switch>
);
