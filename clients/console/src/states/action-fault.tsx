import type { ReactNode } from 'react';
import { almanacErrorOf } from '../api/query-client.js';
import { errorTextOf } from '../api/error-texts.js';

/** The error of an action, next to its button. The rest of the screen stays. */
export const ActionFault = ({ error }: { readonly error: unknown }): ReactNode => {
  if (error === null || error === undefined) return null;
  const fault = almanacErrorOf(error);
  const { title, remedy, facts } = errorTextOf(fault);
  return (
    <div className="fault" role="alert">
      <p>
        {title}. {facts} {remedy}
      </p>
      <p className="hint">
        Code <code>{fault.code}</code>
        {fault.request_id === null ? null : (
          <>
            {' '}
            · Request <code>{fault.request_id}</code>
          </>
        )}
      </p>
    </div>
  );
};
